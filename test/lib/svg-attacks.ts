export const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`

/** Hostile pictures: what each tries, and the picture. */
export const SVG_ATTACKS: [name: string, picture: string][] = [
  ['a script', svg('<script>alert(1)</script>')],
  ['a script with a prefix', svg('<svg:script xmlns:svg="http://www.w3.org/2000/svg">alert(1)</svg:script>')],
  ['a script in CDATA', svg('<script><![CDATA[alert(1)]]></script>')],
  ['an event handler', svg('<rect onclick="alert(1)"/>', 'onload="alert(1)"')],
  ['an event handler in capitals', svg('<rect ONCLICK="alert(1)"/>')],
  ['HTML inside', svg('<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject>')],
  ['a link', svg('<a href="javascript:alert(1)"><text>hi</text></a>')],
  ['an animated link', svg('<a><animate attributeName="href" values="javascript:alert(1)"/></a>')],
  ['a set element', svg('<set attributeName="onmouseover" to="alert(1)"/>')],
  ['a foreign image', svg('<image href="https://evil.example/alert.png"/>')],
  ['a picture with a script', svg('<image xlink:href="data:image/svg+xml,alert(1)"/>')],
  ['a copy of another document', svg('<use href="https://evil.example/a.svg#alert"/>')],
  ['a copy of data', svg('<use xlink:href="data:image/svg+xml;base64,alert"/>')],
  ['a style sheet', svg('<style>@import "https://evil.example/alert"</style>')],
  ['a style that loads', svg('<rect style="fill:url(https://evil.example/alert)"/>')],
  ['a paint that loads', svg('<rect fill="url(//evil.example/alert)"/>')],
  ['an escaped function', svg('<rect fill="u\\72l(https://evil.example/alert)"/>')],
  ['a style with a comment', svg('<rect style="fill:u/**/rl(https://evil.example/alert)"/>')],
  ['a style sheet by instruction', `<?xml-stylesheet href="https://evil.example/alert.css"?>${svg('<rect/>')}`],
  ['a frame', svg('<iframe src="https://evil.example/alert"/>')],
  ['text that looks like markup', svg('<text>&lt;script&gt;alert(1)</text>')],
]
