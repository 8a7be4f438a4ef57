/** Marks where the message stands in the pages around it. */
export const MESSAGE = '%message%'
/** Pages that show a message in an element of their own, within different elements. */
export const HOSTS: readonly string[] = [
  `<!doctype html><title>x</title><main><div id="message">${MESSAGE}</div><p id="after">After</p></main>`,
  `<!doctype html><title>x</title><table><tr><td><div id="message">${MESSAGE}</div></td><td id="after">After</td></tr></table>`,
  `<!doctype html><title>x</title><ul><li><div id="message">${MESSAGE}</div></li><li id="after">After</li></ul>`,
  `<!doctype html><title>x</title><dl><dd><section><div id="message">${MESSAGE}</div></section></dd><dt id="after">After</dt></dl>`,
]

/** An element of a page as a parser has read it. */
export type Rendered = { name: string; attributes: [name: string, value: string][] }

const ELEMENTS = `a abbr address article b blockquote br caption center cite code col colgroup dd del div dl dt em figcaption figure font \
footer h1 h2 h3 h4 h5
  h6 header hr i img ins li mark ol p pre q s section small span strike strong sub sup table tbody td tfoot th thead tr u ul wbr`.split(
  /\s+/,
)
const ATTRIBUTES =
  `align alt bgcolor border cellpadding cellspacing color colspan data-remote-src dir face height href lang name rel rowspan size span src
  start style title type valign width`.split(/\s+/)
/** Nothing that loads, runs, escapes, or moves something out of its place. */
const BAD_STYLE =
  /[\\@<{}]|\/\*|url|image|expression|script|position|behaviou?r|binding|transform\s*:|animation|transition|z-index|var\(|--|margin[^;]*-\d|indent\s*:\s*-/i

/** What is wrong with the elements of a message, whose remote images are blocked. */
export const faultsOf = (elements: readonly Rendered[]): string[] =>
  elements.flatMap(({ name, attributes }) => [
    ...(ELEMENTS.includes(name) ? [] : [`<${name}>`]),
    ...attributes.filter(([attribute, value]) => !isHarmless(name, attribute, value)).map((pair) => `<${name} ${pair.join('=')}>`),
  ])

function isHarmless(element: string, name: string, value: string): boolean {
  if (!ATTRIBUTES.includes(name)) return false
  if (name === 'href') return element === 'a' && (!URL.canParse(value) || /^(?:https?|mailto|tel):$/.test(new URL(value).protocol))
  if (name === 'src') return element === 'img' && value.startsWith('cid:')
  return name === 'style' ? !BAD_STYLE.test(value.replace(/text-transform/g, '')) : true
}

/** Every beginning of a text, the whole one last. */
export const prefixesOf = (text: string): string[] => Array.from({ length: text.length }, (_, at) => text.slice(0, at + 1))
