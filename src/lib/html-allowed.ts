const words = (text: string) => text.split(' ')

/** Elements within lines of text. An end tag of one of them does not close a block. */
export const INLINE = new Set(words('a abbr b cite code del em font i ins mark q s small span strike strong sub sup u'))
const BLOCKS = words(
  'address article blockquote center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header li ol p pre section ul',
)
const TABLE = words('table caption colgroup col thead tbody tfoot tr td th')
/** Elements without content and without an end tag. */
export const VOID = new Set(words('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'))

/** The elements that are kept. The tag of every other element is removed, and its content kept unless the element is in DROPPED. */
export const KEPT = new Set([...INLINE, ...BLOCKS, ...TABLE, 'br', 'hr', 'img', 'wbr'])

/** Elements that are removed with their content: what runs, loads, asks for input, or is parsed in another way than the rest. */
export const DROPPED = new Set([
  ...words('applet audio button canvas iframe math noembed noframes noscript object option plaintext script select'),
  ...words('style svg template textarea title video xml xmp'),
])

const EVERYWHERE = words('align alt dir height lang style title width')
const OWN: Record<string, readonly string[]> = {
  a: ['href', 'name'],
  img: ['src'],
  table: ['border', 'cellpadding', 'cellspacing', 'bgcolor'],
  td: ['colspan', 'rowspan', 'valign', 'bgcolor'],
  th: ['colspan', 'rowspan', 'valign', 'bgcolor'],
  col: ['span'],
  ol: ['start', 'type'],
  font: ['color', 'face', 'size'],
}

/** Whether an attribute of a kept element is kept. Both names are in lower case. */
export const keepsAttribute = (element: string, attribute: string): boolean =>
  EVERYWHERE.includes(attribute) || (Object.hasOwn(OWN, element) && (OWN[element] as readonly string[]).includes(attribute))
