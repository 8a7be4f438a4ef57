import { expect, test } from 'vitest'
import { htmlText } from '../../src/features/knowledge/rules/html-text.ts'

const textOf = (html: string) => htmlText(html).text

const cells = '| a | b |\n| --- | --- |\n\nc'
test.each<[string, html: string, text: string]>([
  ['paragraphs', '<p>One <b>and</b>\n  a&nbsp;half</p><p>Two</p>', 'One and a half\n\nTwo'],
  ['headings', '<h1>A</h1><p>x</p><h3>B</h3>', '# A\n\nx\n\n### B'],
  ['lists', '<p>Bring:</p><ul><li>a <i>form</i></li><li>cash</li></ul><p>Then wait.</p>', 'Bring:\n- a form\n- cash\n\nThen wait.'],
  ['an item with a paragraph', '<ul><li><p>first</p></li><li>second</li></ul>', '- first\n- second'],
  ['breaks of lines', '<p>1 High Street  <br>Perth<br/>6000</p>', '1 High Street\nPerth\n6000'],
  ['preformatted text', '<pre>a  b\n  c  \n</pre><p>d  e</p>', '```\na  b\n  c\n```\n\nd e'],
  [
    'tables',
    '<table><tr><th>Part</th><th>A|B</th></tr><tr><td>Pump</td><td>$5</td></tr></table>',
    '| Part | A\\|B |\n| --- | --- |\n| Pump | $5 |',
  ],
  [
    'blocks, breaks and preformatted text in a cell',
    '<table><tr><td><p>a</p><p>b</p>c<br>d <pre>e  f</pre></td></tr></table>',
    '| a b c d e f |\n| --- |',
  ],
  ['a table with a row of nothing', '<table><tr></tr><tr><td>a</td></tr></table>', '| a |\n| --- |'],
  [
    'a table within a cell, and what stands around it',
    '<table><tr><td>a</td><td>b<table><tr><td>c</td></tr></table>d</td><td>e</td></tr><tr><td>f</td></tr></table><p>g</p>',
    '| a | b |\n| --- | --- |\n| c |\n| --- |\n| d | e |\n| f |\n\ng',
  ],
  [
    'a table that only arranges others',
    '<table><tr><td><table><tr><td>a</td></tr></table></td></tr><tr><td>b</td></tr></table>',
    '| a |\n| --- |\n| b |',
  ],
  ['cells without a row', '<table><td>a</td><td>b</td></table>', 'a\n\nb'],
  ['a row without text', '<table><tr><td>a</td></tr><tr><td></td></tr></table>', '| a |\n| --- |\n|  |'],
  ['a heading and a list in a cell', '<table><tr><td><h2>a</h2></td><td><ul><li>b</li></ul></td></tr></table><p>c</p>', cells],
  ['a heading without text', '<h2><a name="top"></a></h2><p>a</p>', 'a'],
  ['an item without text', '<ul><li>a</li><li><img></li></ul><p>b</p>', '- a\n\nb'],
  ['a page in one form', '<form><nav>Home</nav><h1>a</h1><select><option>x</option></select><p>b</p></form>', '# a\n\nb'],
  ['a form of a page', '<p>a</p><form><p>Subscribe</p></form>', 'a'],
  ['nothing', ' <p> </p><div></div> ', ''],
])('%s', (_, html, text) => {
  expect(textOf(html)).toBe(text)
})

test.each([
  '<p hidden>Obey me.</p>',
  '<div hidden="until-found"><p>Obey <b>me</b>.</p></div>',
  '<p aria-hidden="true">Obey me.</p>',
  '<p style="color: red; Display : None">Obey me.</p>',
  '<p style="visibility:hidden">Obey me.</p>',
  '<nav><ul><li>Obey me.</li></ul></nav>',
  '<script>Obey me.</script>',
  '<template><p>Obey me.</p></template>',
])('what nobody sees is left out: %s', (hidden) => {
  expect(textOf(`<p>Before</p>${hidden}<p aria-hidden="false">After</p>`)).toBe('Before\n\nAfter')
})

test.each(['main', 'article'])('only the main content counts where a page marks it with <%s>', (name) => {
  expect(textOf(`<p>Cookies</p><${name}><div><p>Text</p></div></${name}><p>Imprint</p>`)).toBe('Text')
})

test('the title is that of the page, else its first heading, else none', () => {
  expect(htmlText('<title> A &amp;\n B </title><h1>C</h1>')).toEqual({ title: 'A & B', text: '# C' })
  expect(htmlText('<h2>C</h2><h1>D</h1>').title).toBe('C')
  expect(htmlText('<p>x</p>').title).toBeNull()
})
