/** The elements that are kept, each with its attributes besides those of every element. What is not listed is removed, and its content kept. */
const KEPT: Record<string, readonly string[]> = {
  a: ['href', 'name'],
  img: ['src', 'width', 'height'],
  table: ['border', 'cellpadding', 'cellspacing', 'bgcolor'],
  td: ['colspan', 'rowspan', 'valign', 'bgcolor'],
  th: ['colspan', 'rowspan', 'valign', 'bgcolor'],
  col: ['span'],
  ol: ['start', 'type'],
  font: ['color', 'face', 'size'],
  ...Object.fromEntries(
    [
      ...[
        'abbr',
        'address',
        'article',
        'b',
        'blockquote',
        'br',
        'caption',
        'center',
        'cite',
        'code',
        'colgroup',
        'dd',
        'del',
        'div',
        'dl',
        'dt',
      ],
      ...[
        'em',
        'figcaption',
        'figure',
        'footer',
        'h1',
        'h2',
        'h3',
        'h4',
        'h5',
        'h6',
        'header',
        'hr',
        'i',
        'ins',
        'li',
        'mark',
        'p',
        'pre',
        'q',
      ],
      ...['s', 'section', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'tbody', 'tfoot', 'thead', 'tr', 'u', 'ul', 'wbr'],
    ].map((name) => [name, []]),
  ),
}
const EVERYWHERE: readonly string[] = ['align', 'alt', 'dir', 'height', 'lang', 'style', 'title', 'width']
/** Elements that are removed with their content: what runs, loads, asks for input, or is parsed in another way than the rest. */
const DROPPED = new Set([
  ...[
    'applet',
    'audio',
    'base',
    'button',
    'canvas',
    'embed',
    'frame',
    'frameset',
    'head',
    'iframe',
    'input',
    'link',
    'math',
    'meta',
    'noembed',
  ],
  ...[
    'noframes',
    'noscript',
    'object',
    'option',
    'plaintext',
    'script',
    'select',
    'style',
    'svg',
    'template',
    'textarea',
    'title',
    'video',
    'xmp',
  ],
])
/** Compared with the text as it stands, so that an address in character references is none of these. */
const LINK = /^\s*(?:https?:\/\/|mailto:|tel:)/i
const IMAGE = /^\s*(?:https?:\/\/|cid:)/i
/** Styles that load, run, escape their place, or hide such words in character references. */
const BAD_STYLE = /[\\&@<]|\/\*|url\s*\(|expression|javascript|position|behaviou?r|binding/i

/** `remoteImages`: `block` keeps the address of an image in data-remote-src, so that showing the text tells its sender nothing. */
export type SanitiseOptions = { remoteImages: 'keep' | 'block' }

/**
 * HTML with only the elements and attributes of an allow-list. The parser is the runtime's own (HTMLRewriter), which reads a stream, so that nesting costs nothing.
 * Undefined for HTML that parsers read in different ways.
 */
export async function sanitiseHtml(html: string, { remoteImages }: SanitiseOptions): Promise<string | undefined> {
  const rewriter = new HTMLRewriter()
    .on('*', { element: (element) => sanitiseElement(element, remoteImages === 'block'), comments: (comment) => void comment.remove() })
    .onDocument({ doctype: () => {}, comments: (comment) => void comment.remove() })
  try {
    const text = await rewriter.transform(new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } })).text()
    return text.replace(/<!doctype[^>]*>/gi, '').trim()
  } catch {
    return undefined
  }
}

function sanitiseElement(element: Element, blocksImages: boolean): void {
  const name = element.tagName.toLowerCase()
  if (DROPPED.has(name)) return void element.remove()
  const own = Object.hasOwn(KEPT, name) ? KEPT[name] : undefined
  if (!own) return void element.removeAndKeepContent()
  for (const [attribute, value] of [...element.attributes] as [string, string][]) {
    const known = own.includes(attribute) || EVERYWHERE.includes(attribute)
    if (!known || !isHarmless(attribute, value)) element.removeAttribute(attribute)
  }
  const source = element.getAttribute('src')
  if (blocksImages && source && !/^\s*cid:/i.test(source)) {
    element.setAttribute('data-remote-src', source)
    element.removeAttribute('src')
  }
  if (name === 'a') element.setAttribute('rel', 'noopener noreferrer nofollow')
}

function isHarmless(attribute: string, value: string): boolean {
  if (attribute === 'href') return LINK.test(value)
  if (attribute === 'src') return IMAGE.test(value)
  return attribute === 'style' ? !BAD_STYLE.test(value) : true
}
