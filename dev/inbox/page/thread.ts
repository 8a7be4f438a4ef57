import { badge, draw, el, empty, initialOf, timeOf } from './dom.ts'

export type Message = {
  id: string
  ours: boolean
  author: string
  text: string
  at: string
  status: string
  note: string
  files: { name: string; url: string }[]
}
export type Thread = { id: string; title: string; subtitle: string; messages: Message[] }

/** Draws the list of threads, the open one marked. */
export function drawThreads(items: Element, channel: string, threads: Thread[], open: string, hint: string): void {
  draw(items, [threads, open], () =>
    threads.length > 0
      ? threads.map((thread) => itemOf(channel, thread, thread.id === open))
      : [el('li', {}, empty('No conversation', hint))],
  )
}

function itemOf(channel: string, { id, title, subtitle, messages }: Thread, isOpen: boolean): HTMLElement {
  const last = messages.at(-1)
  return el(
    'li',
    {},
    el(
      'a',
      { href: `#/${channel}/${encodeURIComponent(id)}`, ...(isOpen && { 'aria-current': 'true' }) },
      initialOf(title),
      el(
        'span',
        { class: 'lines' },
        el('span', { class: 'line' }, el('strong', {}, title), last && timeOf(last.at)),
        el('span', { class: 'subject' }, subtitle),
        el('span', { class: 'preview' }, last ? `${last.ours ? 'API: ' : ''}${last.text}` : ''),
      ),
    ),
  )
}

export const threadHead = (channel: string, { title, subtitle }: Thread) => [
  el('a', { class: 'back', href: `#/${channel}` }, '← All conversations'),
  el('h2', { tabindex: -1 }, title),
  el('p', { class: 'quiet' }, subtitle),
]

/** Draws the messages of a thread, and keeps its end in sight. */
export function drawMessages(log: HTMLElement, messages: Message[]): void {
  draw(log, messages, () => messages.map(bubble))
  log.scrollTop = log.scrollHeight
}

const bubble = ({ ours, author, text, at, status, note, files }: Message) =>
  el(
    'li',
    { class: ours ? 'ours' : 'theirs' },
    el('p', { class: 'who' }, author),
    el('p', { class: 'said' }, text),
    files.length > 0 &&
      el('p', { class: 'when' }, ...files.map(({ name, url }) => el('a', { href: url, target: '_blank', rel: 'noreferrer' }, name))),
    el('p', { class: 'when' }, timeOf(at), status && badge(status, status === 'read' || status === 'delivered' ? 'good' : ''), note),
  )
