type Child = Node | string | false | null | undefined
type Props = Record<string, string | number | boolean | undefined | ((event: Event) => void)>

/** An element with its attributes, listeners (`onclick`) and children. */
export function el<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child) => child !== false && child !== null && child !== undefined))
  return element
}

const drawn = new WeakMap<Element, string>()

/** Draws a part of the page again if its data has changed. What has the focus keeps it, known by its id or address. */
export function draw(part: Element, data: unknown, make: () => Child[]): void {
  const text = JSON.stringify(data) ?? ''
  if (drawn.get(part) === text) return
  drawn.set(part, text)
  const focused = part.contains(document.activeElement) ? document.activeElement : null
  const [id, href] = [focused?.id, focused?.getAttribute('href')]
  part.replaceChildren(...make().filter((child) => child !== false && child !== null && child !== undefined))
  if (!focused) return
  const again = [...part.querySelectorAll<HTMLElement>('a, button, input, select, textarea')]
  again.find((one) => (id ? one.id === id : href !== null && one.getAttribute('href') === href))?.focus({ preventScroll: true })
}

const TODAY = { hour: '2-digit', minute: '2-digit' } as const
const EARLIER = { ...TODAY, day: 'numeric', month: 'short' } as const

export function timeOf(at: string): HTMLTimeElement {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return el('time', { datetime: at, title: date.toLocaleString() }, date.toLocaleString(undefined, isToday ? TODAY : EARLIER))
}

export function initialOf(text: string): HTMLSpanElement {
  const letter = /[\p{L}\p{N}]/u.exec(text.replace(/^\+\d*(?=\d\d$)/, ''))?.[0] ?? '?'
  const hue = [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) % 360, 7)
  const avatar = el('span', { class: 'avatar', 'aria-hidden': 'true' }, letter.toUpperCase())
  avatar.style.setProperty('--hue', String(hue))
  return avatar
}

/** A labelled field. */
export function field(label: string, control: HTMLElement): HTMLLabelElement {
  return el('label', { class: 'field' }, el('span', {}, label), control)
}

export const badge = (text: string, tone = '') => el('span', { class: `badge ${tone}` }, text)

export const empty = (title: string, hint: string) =>
  el('div', { class: 'empty' }, el('p', { class: 'empty-title' }, title), el('p', {}, hint))

/** Tabs as the ARIA practices describe them: arrow keys move, and the shown panel follows. */
export function tabs(name: string, panels: [label: string, make: () => Child[]][]): HTMLElement {
  const panel = el('div', { role: 'tabpanel', tabindex: 0, id: `${name}-panel` })
  const buttons = panels.map(([label], at) =>
    el('button', { type: 'button', role: 'tab', id: `${name}-${at}`, 'aria-controls': `${name}-panel`, onclick: () => show(at) }, label),
  )
  const show = (at: number) => {
    for (const [n, button] of buttons.entries()) {
      button.setAttribute('aria-selected', String(n === at))
      button.tabIndex = n === at ? 0 : -1
    }
    panel.setAttribute('aria-labelledby', `${name}-${at}`)
    panel.replaceChildren(...(panels[at]?.[1]() ?? []).filter((child) => child !== false && child !== null && child !== undefined))
  }
  const move = (event: Event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[(event as KeyboardEvent).key]
    if (!step) return
    const next = (buttons.indexOf(document.activeElement as HTMLButtonElement) + step + buttons.length) % buttons.length
    show(next)
    buttons[next]?.focus()
  }
  show(0)
  return el(
    'div',
    { class: 'tabs' },
    el('div', { role: 'tablist', 'aria-label': 'Parts of the email', onkeydown: move }, ...buttons),
    panel,
  )
}
