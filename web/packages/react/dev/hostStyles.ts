/**
 * What pages say of all elements, at its worst, by name. The tray has to look the same in each of
 * them.
 */
export const hostStyles: Readonly<Record<string, string>> = {
  /** As utility frameworks begin: nothing looks like anything. */
  preflight: `
    *, ::before, ::after { box-sizing: border-box; border: 0 solid #e5e7eb; margin: 0; padding: 0 }
    html { line-height: 1.5; tab-size: 4; font-family: ui-serif, Georgia, serif; -webkit-text-size-adjust: 100% }
    hr { height: 0; color: inherit; border-top-width: 1px }
    h1, h2, h3, h4, h5, h6 { font-size: inherit; font-weight: inherit }
    a { color: inherit; text-decoration: inherit }
    b, strong { font-weight: bolder }
    code, kbd, samp, pre { font-family: monospace; font-size: 1em }
    table { text-indent: 0; border-color: inherit; border-collapse: collapse }
    button, input, optgroup, select, textarea { font: inherit; letter-spacing: inherit; color: inherit; border-radius: 0; background-color: transparent; opacity: 1 }
    ol, ul, menu { list-style: none }
    img, svg, video, canvas { display: block; vertical-align: middle }
    img, video { max-width: 100%; height: auto }
    [hidden] { display: none !important }
    ::placeholder { color: #9ca3af; opacity: 1 }
    button, [role="button"] { cursor: pointer }`,
  /** As component frameworks begin. */
  reboot: `
    *, *::before, *::after { box-sizing: border-box }
    html { font-size: 62.5% }
    body { margin: 0; font: 400 1.6rem/1.5 "Times New Roman", serif; color: #212529; text-transform: uppercase; letter-spacing: .08em; word-spacing: 4px; text-align: center }
    p, ul, ol, dl, pre, figure, table, blockquote { margin: 0 0 1rem }
    h1, h2, h3, h4, h5, h6 { margin: 0 0 .5rem; font-weight: 500; line-height: 1.2; color: #b02a37 }
    h2 { font-size: 3rem } h3 { font-size: 2.6rem }
    dt { font-weight: 700 } dd { margin: 0 0 .5rem }
    a { color: #0d6efd; text-decoration: underline } a:hover { color: #0a58ca }
    code { color: #d63384; font-size: .875em } pre { overflow: auto; font-size: .875em; display: block }
    table { caption-side: bottom; border-collapse: collapse; width: 100% }
    table, th, td { border: 3px solid #0d6efd; padding: 1rem } th { text-align: center; background: #cfe2ff }
    button { border-radius: 20px; text-transform: uppercase; background: #0d6efd; color: #fff; padding: 1.5rem; font-weight: 700 }
    button:hover { background: #0a58ca } button:focus { outline: 8px solid orange }
    input, textarea, select { border: 2px solid red; padding: 2rem; width: 100%; background: #ffe; color: #00f; margin: 10px }
    svg { width: 40px; height: 40px; fill: #f0f; vertical-align: middle } svg path { stroke: #0f0 }
    label { display: inline-block; font-weight: 700 } li { margin: 1rem; list-style: square inside }
    span, div, p { color: #b02a37 }
    #root button, #root p, #root span { font-size: 30px; margin: 12px }`,
  /** As people do who were hurt by other people's style sheets. */
  unset: `
    div, span, p, ul, ol, li, button, a, h1, h2, h3, pre, code, table, thead, tbody, tr, th, td, dl, dt, dd, figure, figcaption, form, label, input, textarea { all: unset }
    *::before, *::after { content: "x"; color: red }`,
  revert: `* { all: revert } *:hover { background: yellow }`,
  initial: `:not(svg, svg *, html, head, head *) { all: initial } .page * , * * { display: inline; position: static; color: red; font-size: 8px }`,
  dark: `
    html { color-scheme: dark; background: #0b0b0f; color: #d9d9e3 }
    body { background: #0b0b0f; color: #d9d9e3; font: italic 18px/2 Georgia, serif }
    a { color: #7dd3fc } button { background: #222; color: #eee; border: 1px solid #555; padding: 8px 16px }
    code, pre { background: #1e1e2e; color: #cdd6f4 } table { background: #181825 } h1, h2, h3 { color: #f5c2e7 }
    input, textarea { background: #111; color: #fff } ::selection { background: #f0f } * { scrollbar-color: red blue }`,
};
