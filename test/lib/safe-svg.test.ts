import { expect, test } from 'vitest'
import { rebuildSvg } from '../../src/lib/safe-svg.ts'
import { SVG_ATTACKS, svg } from './svg-attacks.ts'

test.each(SVG_ATTACKS)('leaves out %s', (_, source) => {
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
      '<rect width="4" style="fill: url(#g); stroke:#000; behavior:url(x)"/><use xlink:href="#leaf" x="1"/><text ' +
      'font-size="3">A &amp; B</text>',
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
