// Package opensearch serves front ends written for the AG-UI agents of OpenSearch's ml-commons,
// above all the chat plugin of OpenSearch Dashboards. Requests are those of AG-UI or ml-commons'
// own, told apart by their members; the answer is in the same format. The reference is
// docs/reference/opensearch.md.
//
// Where ml-commons breaks AG-UI (a second RUN_FINISHED, events of the type Custom), this package
// does what the protocol says, which the plugin accepts too.
package opensearch
