import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse, serialize } from 'parse5'
import { expect, test } from 'vitest'
import { sanitiseHtml } from '../../src/lib/sanitise-html.ts'
import { proving } from '../proof.ts'
import { faultsOf, HOSTS, MESSAGE, prefixesOf, type Rendered } from './rendered.ts'
import { VECTORS } from './xss-vectors.ts'

const blocked = (html: string) => sanitiseHtml(html, { remoteImages: 'block' })
const kept = (html: string) => sanitiseHtml(html, { remoteImages: 'keep' })

type Node = DefaultTreeAdapterTypes.Node
const childrenOf = (node: Node): Node[] => ('childNodes' in node ? node.childNodes : [])
const all = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(all)]
const isMessage = (node: Node): node is DefaultTreeAdapterTypes.Element =>
  'attrs' in node && node.attrs.some(({ name, value }) => name === 'id' && value === 'message')

/** How a parser reads a page: what is in the message, and the rest of the page. */
function read(page: string): { message: Rendered[]; comments: number; rest: string } {
  const document = parse(page)
  const message = all(document).find(isMessage) as DefaultTreeAdapterTypes.Element
  const within = message.childNodes.flatMap(all)
  for (const node of [...message.childNodes]) defaultTreeAdapter.detachNode(node)
  return {
    message: within.flatMap((node) =>
      'attrs' in node ? [{ name: node.tagName, attributes: node.attrs.map(({ name, value }): [string, string] => [name, value]) }] : [],
    ),
    comments: within.filter(({ nodeName }) => nodeName === '#comment').length,
    rest: serialize(document),
  }
}

test('of every beginning of every hostile message, a page shows elements of the list only, and stays whole around them', () => {
  const wholes = HOSTS.map((host) => read(host.replace(MESSAGE, '')).rest)
  const faults = VECTORS.flatMap((vector, number) =>
    prefixesOf(vector).flatMap((html, length) =>
      HOSTS.flatMap((host, at) => {
        if (!proving && (number + length) % HOSTS.length !== at && html !== vector) return []
        const safe = blocked(html)
        const { message, comments, rest } = read(host.replace(MESSAGE, () => safe))
        const found = [
          ...faultsOf(message),
          ...(comments > 0 ? ['a comment'] : []),
          ...(rest === wholes[at] ? [] : [`left its place: ${rest}`]),
        ]
        return found.map((fault) => `${JSON.stringify(html)} → ${safe}: ${fault}`)
      }),
    ),
  )
  expect(faults).toEqual([])
})

test('what is safe stays as it is, however often it is sanitised, and nothing of the text is lost', () => {
  const letter = `<div align="center"><h2 style="color:#333;font-family:'Segoe UI', Arial">Offer &amp; terms</h2>\
<p>Dear <b>Ana</b>,<br>see <a
    href="https://example.com/a?b=1&amp;c=2">this</a>.</p><table border="1"><thead><tr><th>Item</th></tr></thead><tbody><tr>\
<td colspan="2">1&nbsp;kg</td></tr></tbody>
    </table><ul><li>one</li><li>two<ol start="3"><li>deep</li></ol></li></ul><img src="cid:logo" alt="Logo" width="10"></div>`
  const expected = letter.replace('c=2"', 'c=2" rel="noopener noreferrer nofollow"').replace(/<a\s+/, '<a ')
  expect(kept(letter)).toBe(expected)
  for (const vector of VECTORS) expect(blocked(blocked(vector).replaceAll('data-remote-src', 'src')), vector).toBe(blocked(vector))
})

test('what mail programs write keeps its format and its order', () => {
  const cases: [sent: string, shown: string][] = [
    [
      '<p class=MsoNormal style=\'mso-style-priority:99;margin:0cm;font-size:11.0pt;font-family:"Calibri",' +
        "sans-serif;mso-x:url(x)'>Hi<o:p></o:p></p>",
      '<p style="margin:0cm;font-size:11.0pt;font-family:&quot;Calibri&quot;,sans-serif">Hi</p>',
    ],
    ['<html><head><title>T</title><style>p{}</style><body><p>One<p>Two', '<p>One</p><p>Two</p>'],
    ['<table><tr><td>1<td>2<tr><td>3</table>4', '<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>4'],
    ['<ul><li>1<li>2<ul><li>3</ul></ul>', '<ul><li>1</li><li>2<ul><li>3</li></ul></li></ul>'],
    ['<li>1<li>2', '<div>1</div><div>2</div>'],
    ['<table>before<tr>row<td>cell</table>', '<table><tr><td>before</td></tr><tr><td>row</td><td>cell</td></tr></table>'],
    ['<form action=x><input name=p>Pay</form>', 'Pay'],
    ['1 < 2 &amp; 3 > 2 "quoted"', '1 &lt; 2 &amp; 3 &gt; 2 &quot;quoted&quot;'],
    ['<a href="ht&#116;ps://example.com/&quot;x">x</a>', '<a href="https://example.com/&quot;x" rel="noopener noreferrer nofollow">x</a>'],
    ['<img src=https://example.com/1.png alt="A &gt; B">', '<img src="https://example.com/1.png" alt="A &gt; B">'],
  ]
  expect(cases.map(([sent]) => kept(sent))).toEqual(cases.map(([, shown]) => shown))
})

test('hostile HTML costs time in proportion to its length', () => {
  const texts = ['<b>', '<li>', '<table>', '<table><td>', '</i>', '&amp;', '<!--', '<p style="', 'a="', '<table><li><a></div>', 'rgb(']
  const starts = ['', `<p>${'<b>'.repeat(190)}`, '<p style="color:', `<table><td>${'<div>'.repeat(190)}`, '<b ']
  const slow = starts.flatMap((start) =>
    texts.flatMap((text) => {
      const html = start + text.repeat((proving ? 1_000_000 : 200_000) / text.length)
      const before = process.cpuUsage().user
      kept(html)
      return process.cpuUsage().user - before > (proving ? 2_000_000 : 500_000) ? [`${start.slice(0, 30)} ${text}`] : []
    }),
  )
  expect(slow).toEqual([])
})
