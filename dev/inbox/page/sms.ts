import { act, read } from './api.ts'
import { draw, el, empty, field } from './dom.ts'
import type { PageView } from './inbox.ts'
import { drawMessages, drawThreads, type Thread, threadHead } from './thread.ts'

type Sms = { numbers: string[]; threads: Thread[] }
const WORDS = ['STOP', 'START', 'HELP']

export function smsView(): PageView {
  const starter = el('div')
  const items = el('ul', { class: 'items' })
  const head = el('div')
  const log = el('ol', { class: 'messages', 'aria-label': 'Messages', 'aria-live': 'polite', tabindex: 0 })
  const composer = el('div')
  const list = el('section', { class: 'list', 'aria-label': 'Conversations by SMS' }, starter, items)
  const detail = el('section', { class: 'detail chat', 'aria-label': 'Conversation' }, head, log, composer)
  return {
    title: 'SMS',
    element: el('div', { class: 'panes' }, list, detail),
    async show(id) {
      const { numbers, threads } = await read<Sms>('sms')
      draw(starter, numbers, () => [starterOf(numbers)])
      drawThreads(items, 'sms', threads, id, 'What is sent by SMS appears here.')
      const open = threads.find((thread) => thread.id === id)
      draw(head, open ? id : '', () =>
        open ? threadHead('sms', open) : [empty('Choose a conversation', 'Both of its sides are shown here.')],
      )
      drawMessages(log, open?.messages ?? [])
      draw(composer, open ? id : '', () => (open ? [composerOf(open)] : []))
    },
  }
}

const receive = (from: string, to: string, text: string, picture = false) =>
  act('sms/receive', { from, to, text, picture }, `${from} has written to ${to}`)

function starterOf(numbers: string[]): HTMLElement {
  if (numbers.length === 0) return el('p', { class: 'note' }, 'No number was bought yet: POST /v1/phone/numbers/buy')
  const from = el('input', { id: 'sms-from', type: 'tel', required: true, value: '+61491570156' })
  const to = el('select', { id: 'sms-to' }, ...numbers.map((number) => el('option', {}, number)))
  const text = el('input', { id: 'sms-text', required: true, maxlength: 1600 })
  const picture = el('input', { id: 'sms-picture', type: 'checkbox' })
  const send = async (event: Event) => {
    event.preventDefault()
    if (!(await receive(from.value, to.value, text.value, picture.checked))) return
    text.value = ''
    location.hash = `#/sms/${encodeURIComponent(`${to.value}/${from.value}`)}`
  }
  return el(
    'details',
    { class: 'starter' },
    el('summary', {}, 'Write as somebody'),
    el(
      'form',
      { onsubmit: (event) => void send(event) },
      field('From', from),
      field('To', to),
      field('Message', text),
      field('With a picture', picture),
      el('button', { class: 'primary' }, 'Send'),
    ),
  )
}

function composerOf({ id, title }: Thread): HTMLElement {
  const ours = id.split('/')[0] as string
  const text = el('textarea', { id: 'answer', rows: 2, required: true, maxlength: 1600 })
  const send = async (event: Event) => {
    event.preventDefault()
    if (await receive(title, ours, text.value)) text.value = ''
  }
  return el(
    'form',
    { class: 'composer', onsubmit: (event) => void send(event) },
    field(`Reply as ${title}`, text),
    el(
      'div',
      { class: 'buttons' },
      el('button', { class: 'primary' }, 'Send'),
      ...WORDS.map((word) => el('button', { type: 'button', onclick: () => void receive(title, ours, word) }, word)),
    ),
  )
}
