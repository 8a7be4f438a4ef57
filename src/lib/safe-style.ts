const SIDES = ['', '-top', '-right', '-bottom', '-left']
const CORNERS = ['', '-top-left', '-top-right', '-bottom-left', '-bottom-right']
/** Properties that format what they are set on. None of them moves it out of its place, loads anything, or covers anything else. */
const PROPERTIES = new Set([
  ...[
    'background',
    'background-color',
    'border-collapse',
    'border-color',
    'border-spacing',
    'border-style',
    'border-width',
    'caption-side',
  ],
  ...['clear', 'color', 'direction', 'display', 'empty-cells', 'float', 'font', 'font-family', 'font-size', 'font-stretch', 'font-style'],
  ...['font-variant', 'font-weight', 'height', 'letter-spacing', 'line-height', 'list-style', 'list-style-position', 'list-style-type'],
  ...['max-height', 'max-width', 'min-height', 'min-width', 'overflow-wrap', 'table-layout', 'text-align', 'text-decoration'],
  ...['text-decoration-color', 'text-decoration-line', 'text-decoration-style', 'text-indent', 'text-transform', 'vertical-align'],
  ...['white-space', 'width', 'word-break', 'word-spacing', 'word-wrap'],
  ...SIDES.flatMap((side) => ['margin', 'padding', 'border'].map((property) => property + side)),
  ...SIDES.flatMap((side) => ['color', 'style', 'width'].map((what) => `border${side}-${what}`)),
  ...CORNERS.map((corner) => `border${corner}-radius`),
])
/** A colour as a function, a word, a colour, the name of a font in quotes, what separates them, or a number with its unit. */
const VALUE =
  /(?:rgb|hsl)a?\([\w\s.,/%+-]*\)|[a-z][a-z0-9-]*|#[0-9a-f]{3,8}|"[\p{L}\p{N} ._-]*"|'[\p{L}\p{N} ._-]*'|[\s,/]+|!\s*important|[+-]?\d*(?:\.\d+)?(?:%|[a-z]{1,4})?/iuy
const MOST_CHARACTERS = 500

/**
 * The declarations of a style attribute that only format, as the text of a style attribute. Each is judged by itself: one that loads, runs
 * or moves something is left out, and so is one that cannot be read, such as one with a comment or an escape. `style`: the value with its
 * character references decoded.
 */
export const safeStyle = (style: string): string =>
  style
    .split(';')
    .map((declaration) => safeDeclaration(declaration))
    .filter((declaration) => declaration !== null)
    .join(';')

function safeDeclaration(declaration: string): string | null {
  const colon = declaration.indexOf(':')
  if (colon === -1 || declaration.length > MOST_CHARACTERS) return null
  const [property, value] = [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()]
  if (value === '' || !PROPERTIES.has(property) || !isPlain(value)) return null
  // A negative margin or indent shows the content elsewhere, such as over the page around it.
  return /^(?:margin|text-indent)/.test(property) && /(?:^|[\s,/])-/.test(value) ? null : `${property}:${value}`
}

/** Whether the whole value consists of known parts. */
function isPlain(value: string): boolean {
  VALUE.lastIndex = 0
  for (let at = 0; at < value.length; at = VALUE.lastIndex) if (!VALUE.test(value) || VALUE.lastIndex === at) return false
  return true
}
