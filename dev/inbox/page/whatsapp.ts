import { act, read } from './api.ts'
import { badge, draw, el, empty, field } from './dom.ts'
import type { PageView } from './inbox.ts'
import { drawMessages, drawThreads, type Thread, threadHead } from './thread.ts'

type Connection = {
  name: string
  state: 'close' | 'connecting' | 'open'
  label: string
  phone: string | null
  profile: string | null
  qr: { count: number; image: string } | null
  groups: { id: string; subject: string }[]
}
type WhatsApp = { connections: Connection[]; threads: Thread[] }

const post = (action: string, body: object, done: string) => act(`whatsapp/${action}`, body, done)

export function whatsAppView(): PageView {
  const phones = el('div', { class: 'phones' })
  const items = el('ul', { class: 'items' })
  const head = el('div')
  const log = el('ol', { class: 'messages', 'aria-label': 'Messages', 'aria-live': 'polite', tabindex: 0 })
  const composer = el('div')
  const list = el('section', { class: 'list', 'aria-label': 'Phones and conversations by WhatsApp' }, phones, items)
  const detail = el('section', { class: 'detail chat', 'aria-label': 'Conversation' }, head, log, composer)
  return {
    title: 'WhatsApp',
    element: el('div', { class: 'panes' }, list, detail),
    async show(id) {
      const { connections, threads } = await read<WhatsApp>('whatsapp')
      draw(phones, connections, () =>
        connections.length > 0
          ? connections.map(phoneCard)
          : [el('p', { class: 'note' }, 'No phone is being paired yet: POST /v1/whatsapp/pair')],
      )
      drawThreads(items, 'whatsapp', threads, id, 'What is sent and received by WhatsApp appears here.')
      const open = threads.find((thread) => thread.id === id)
      draw(head, open ? id : '', () =>
        open ? threadHead('whatsapp', open) : [empty('Choose a conversation', 'Both of its sides are shown here.')],
      )
      drawMessages(log, open?.messages ?? [])
      draw(composer, open ? id : '', () => (open ? [composerOf(open)] : []))
    },
  }
}

const TONES = { open: 'good', connecting: 'accent', close: 'bad' }

function phoneCard(one: Connection): HTMLElement {
  const { name: connection, state, label, phone, profile } = one
  const button = (text: string, action: string, done: string) =>
    el('button', { type: 'button', id: `${action}-${connection}`, onclick: () => void post(action, { connection }, done) }, text)
  return el(
    'section',
    { class: 'card phone', 'aria-label': `Phone ${phone ?? connection}` },
    el('p', { class: 'line' }, el('strong', {}, profile ?? 'Pairing'), badge(label, TONES[state])),
    el('p', { class: 'quiet' }, phone ?? connection),
    one.qr && qrOf(connection, one.qr),
    state === 'connecting' && el('div', { class: 'buttons' }, button('New QR code', 'new-qr', 'The phone shows another QR code')),
    state === 'open' && starterOf(one),
    state === 'open' &&
      el(
        'div',
        { class: 'buttons' },
        button('Lose connection', 'lose-connection', 'The connection is lost'),
        button('Log out on the phone', 'log-out', 'Logged out on the phone'),
      ),
  )
}

function qrOf(connection: string, { count, image }: { count: number; image: string }): HTMLElement {
  const phone = el('input', { id: `phone-${connection}`, type: 'tel', required: true, value: '+61400000001' })
  const name = el('input', { id: `name-${connection}`, required: true, value: 'Demo phone', maxlength: 60 })
  const scan = (event: Event) => {
    event.preventDefault()
    void post('scan', { connection, phone: phone.value, name: name.value }, 'Scanned: the phone is being connected')
  }
  return el(
    'form',
    { class: 'qr', onsubmit: scan },
    el('img', { src: image, alt: `QR code number ${count}`, width: 132, height: 132 }),
    el('div', {}, field('Phone', phone), field('Name', name), el('button', { class: 'primary', id: `scan-${connection}` }, 'Scan QR code')),
  )
}

function starterOf({ name: connection, groups }: Connection): HTMLElement {
  const control = (id: string) => `${id}-${connection}`
  const from = el('input', { id: control('from'), type: 'tel', required: true, value: '+61491570156' })
  const group = el(
    'select',
    { id: control('group') },
    el('option', { value: '' }, 'The phone alone'),
    ...groups.map(({ id, subject }) => el('option', { value: id }, subject)),
  )
  const text = el('input', { id: control('text'), required: true, maxlength: 4096 })
  const picture = el('input', { id: control('picture'), type: 'checkbox' })
  const subject = el('input', { id: control('subject'), required: true, maxlength: 100 })
  const receive = async (event: Event) => {
    event.preventDefault()
    const body = { connection, from: from.value, text: text.value, group: group.value, name: from.value, picture: picture.checked }
    if (await post('receive', body, `${from.value} has written`)) text.value = ''
  }
  const add = async (event: Event) => {
    event.preventDefault()
    if (await post('group', { connection, subject: subject.value, member: from.value }, `The phone is in the group ${subject.value}`))
      subject.value = ''
  }
  return el(
    'details',
    { class: 'starter' },
    el('summary', {}, 'Write to this phone'),
    el(
      'form',
      { onsubmit: (event) => void receive(event) },
      field('From', from),
      field('To', group),
      field('Message', text),
      field('With a picture', picture),
      el('button', { class: 'primary' }, 'Send'),
    ),
    el('form', { onsubmit: (event) => void add(event) }, field('New group with this person', subject), el('button', {}, 'Add group')),
  )
}

function composerOf({ id, title }: Thread): HTMLElement {
  const [connection, chat] = id.split('/') as [string, string]
  const isPerson = title.startsWith('+')
  const group = chat.endsWith('@g.us') ? chat : undefined
  const from = el('input', { id: 'answer-from', type: 'tel', required: true, value: isPerson ? title : '+61491570156' })
  const text = el('textarea', { id: 'answer', rows: 2, required: true, maxlength: 4096 })
  const answer = async (event: Event) => {
    event.preventDefault()
    if (await post('receive', { connection, from: from.value, text: text.value, group, name: from.value }, `Replied as ${from.value}`))
      text.value = ''
  }
  const write = async () => {
    if (text.reportValidity() && (await post('phone-sends', { connection, to: title, text: text.value }, 'Written on the phone')))
      text.value = ''
  }
  return el(
    'form',
    { class: 'composer', onsubmit: (event) => void answer(event) },
    isPerson ? null : field('From', from),
    field(isPerson ? `Reply as ${title}` : 'Write in the group', text),
    el(
      'div',
      { class: 'buttons' },
      el('button', { class: 'primary' }, 'Send'),
      isPerson && el('button', { type: 'button', onclick: () => void write() }, 'Write on our phone'),
      el('button', { type: 'button', onclick: () => void post('read', { connection, chat }, 'Read') }, 'Mark as read'),
    ),
  )
}
