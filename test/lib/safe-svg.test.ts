import { expect, test } from 'vitest'
import { rebuildSvg } from '../../src/lib/safe-svg.ts'

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`

test.each([
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
])('leaves out %s', (_, source) => {
  const out = rebuildSvg(source) ?? ''
  expect(out).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
  expect(out).not.toMatch(/<script|<foreignObject|<a[ >]|<image|<style|<animate|<set|<iframe|evil|javascript|data:| on\w+=/i)
})

test.each([
  ['a DOCTYPE', `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('&x;')}`],
  ['another root', `<html>${svg('')}</html>`],
  ['no element', 'just text'],
  ['too many elements', svg('<g/>'.repeat(6000))],
  ['deep nesting', svg('<g>'.repeat(100) + '</g>'.repeat(100))],
])('refuses %s', (_, source) => {
  expect(rebuildSvg(source)).toBeUndefined()
})

test('keeps shapes, gradients, texts and styles, and copies that cannot multiply', () => {
  const logo = svg(
    '<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient><g id="leaf"><path d="M0 0h1"/></g></defs>' +
      '<rect width="4" style="fill: url(#g); stroke:#000; behavior:url(x)"/><use xlink:href="#leaf" x="1"/><text font-size="3">A &amp; B</text>',
    'viewBox="0 0 10 10"',
  )
  const out = rebuildSvg(logo) as string
  expect(out).toContain('viewBox="0 0 10 10"')
  expect(out).toContain('<linearGradient id="g"><stop offset="0" stop-color="#fff"></stop></linearGradient>')
  expect(out).toContain('<rect width="4" fill="url(#g)" stroke="#000"></rect>')
  expect(out).toContain('<use href="#leaf" x="1"></use>')
  expect(out).toContain('<text font-size="3">A &amp; B</text>')
  expect(rebuildSvg(out)).toBe(out)
  const bomb = svg('<g id="a"><path d="M0 0"/></g><g id="b"><use href="#a"/><use href="#a"/></g><g id="c"><use href="#b"/></g>')
  expect(rebuildSvg(bomb)).not.toContain('<use')
})
