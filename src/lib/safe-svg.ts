import { Parser } from 'htmlparser2'

const words = (text: string) => new Set(text.split(/\s+/))
/** Shapes, texts, paint and effects. Nothing that runs, links, loads or embeds. */
const ELEMENTS = words(
  `svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath linearGradient \
radialGradient stop clipPath mask
  pattern marker filter feBlend feColorMatrix feComposite feFlood feGaussianBlur feMerge feMergeNode feOffset`,
)
const GEOMETRY = `id viewBox width height x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy d points transform preserveAspectRatio \
pathLength offset startOffset
  gradientUnits gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clipPathUnits maskUnits \
maskContentUnits filterUnits
  primitiveUnits markerUnits markerWidth markerHeight refX refY orient in in2 result type values mode operator k1 k2 k3 \
k4 stdDeviation rotate
  textLength lengthAdjust version`
const PAINT = `clip-path clip-rule color display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity \
font-family font-size
  font-style font-weight letter-spacing marker-end marker-mid marker-start mask opacity overflow paint-order stop-color stop-opacity stroke
  stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width \
text-anchor text-decoration
  vector-effect visibility word-spacing`
const PROPERTIES = words(PAINT)
const ATTRIBUTES = words(`${GEOMETRY} ${PAINT}`)

const LIMITS = { elements: 5_000, depth: 64, uses: 50 }
/** A reference to a part of the same picture. */
const LOCAL = /^#[\w-]+$/
const LOCAL_URL = /^url\(\s*["']?#[\w-]+["']?\s*\)(?:\s+[\w#(),.% -]*)?$/
const NAMESPACE = 'http://www.w3.org/2000/svg'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has none of them
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g
const escaped = (text: string) => text.replace(CONTROLS, '').replace(/[&<>"]/g, (sign) => ENTITIES[sign] as string)

/**
 * The picture with only the elements and attributes of an allow-list, each written anew. Undefined for text that is no SVG, that declares
 * entities, or that is larger than any logo.
 */
export function rebuildSvg(source: string): string | undefined {
  const writer = new SvgWriter()
  const parser = new Parser(writer, { xmlMode: true, decodeEntities: true, recognizeSelfClosing: true })
  parser.write(source)
  parser.end()
  return writer.result()
}

class SvgWriter {
  readonly #out: string[] = []
  /** The open elements; one that is left out is undefined. */
  readonly #open: ({ name: string; hasId: boolean } | undefined)[] = []
  #elements = 0
  #uses = 0
  #isRefused = false
  #hasRoot = false

  onopentag(name: string, attributes: Record<string, string>): void {
    this.#elements += 1
    if (!this.#hasRoot && name !== 'svg') this.#isRefused = true
    if (this.#elements > LIMITS.elements || this.#open.length >= LIMITS.depth) this.#isRefused = true
    const isOutside = this.#hasRoot && this.#open.length === 0
    if (this.#isRefused || isOutside || !ELEMENTS.has(name) || this.#isDropped() || !this.#mayUse(name)) {
      this.#open.push(undefined)
      return
    }
    this.#out.push(`<${name}${this.#hasRoot ? '' : ` xmlns="${NAMESPACE}"`}`)
    this.#hasRoot = true
    const kept = Object.entries(attributes).flatMap(([key, value]) => keptOf(name, key, value))
    for (const [key, value] of new Map(kept)) this.#out.push(` ${key}="${escaped(value)}"`)
    this.#out.push('>')
    this.#open.push({ name, hasId: 'id' in attributes })
  }

  /** Copies of copies grow without bound, so nothing that can be copied contains a copy. */
  #mayUse(name: string): boolean {
    if (name !== 'use') return true
    this.#uses += 1
    return this.#uses <= LIMITS.uses && !this.#open.some((open) => open?.hasId && open.name !== 'svg')
  }

  #isDropped = () => this.#open.length > 0 && this.#open.at(-1) === undefined

  ontext(text: string): void {
    if (this.#open.length > 0 && !this.#isDropped()) this.#out.push(escaped(text))
  }

  onclosetag(): void {
    const open = this.#open.pop()
    if (open) this.#out.push(`</${open.name}>`)
  }

  onprocessinginstruction(name: string): void {
    if (/^!doctype/i.test(name)) this.#isRefused = true
  }

  result(): string | undefined {
    return this.#hasRoot && !this.#isRefused ? this.#out.join('') : undefined
  }
}

/** The attributes that one becomes: a style becomes the attributes of its properties. */
function keptOf(element: string, key: string, value: string): [string, string][] {
  if (key === 'style') return value.split(';').flatMap((part) => propertyOf(part))
  if (key === 'href' || key === 'xlink:href') return LOCAL.test(value.trim()) ? [['href', value.trim()]] : []
  if (element === 'use' && key === 'id') return []
  return ATTRIBUTES.has(key) && isLocal(value) ? [[key, value]] : []
}

function propertyOf(part: string): [string, string][] {
  const at = part.indexOf(':')
  const [name, value] = [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()]
  return at > 0 && PROPERTIES.has(name) && isLocal(value) ? [[name, value]] : []
}

/** Whether a value loads nothing: CSS may hide a function behind escapes and comments. */
const isLocal = (value: string) =>
  !/[\\@]|\/\*/.test(value) && (!/url|image|src|attr|expression|javascript/i.test(value) || LOCAL_URL.test(value.trim()))
