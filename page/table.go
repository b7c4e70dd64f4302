package page

import "slices"

// leastRecords is the minimum number of records of a list written as a table.
const leastRecords = 3

// tabulated writes lists of records, in n and below, as {"columns":[names],"rows":[[values],…]}.
// Writing the names once saves up to half of a list's weight. Records are objects with the same
// names in the same order.
func (n node) tabulated() node {
	if len(n.children) == 0 {
		return n
	}
	for i, child := range n.children {
		n.children[i] = child.tabulated()
	}
	if n.isRecords() {
		n = n.table()
	}
	return n.weigh()
}

func (n node) isRecords() bool {
	if n.kind != '[' || len(n.children) < leastRecords {
		return false
	}
	first := n.children[0]
	return first.kind == '{' && len(first.names) > 0 && !slices.ContainsFunc(n.children, func(c node) bool {
		return c.kind != '{' || !slices.Equal(c.names, first.names)
	})
}

func (n node) table() node {
	columns := node{kind: '['}
	for _, name := range n.children[0].names {
		columns.children = append(columns.children, stringNode(name))
	}
	rows := node{kind: '['}
	for _, record := range n.children {
		rows.children = append(rows.children, node{kind: '[', children: record.children}.weigh())
	}
	return node{kind: '{', names: []string{"columns", "rows"}, children: []node{columns.weigh(), rows.weigh()}}
}
