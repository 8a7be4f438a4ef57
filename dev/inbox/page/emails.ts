import { EMAIL_KINDS, type EmailAct, type EmailAttachment, type EmailPage, type EmailSummary, type ShownEmail } from '../wire.ts'
import { act, read } from './api.ts'
import { badge, draw, el, empty, field, initialOf, tabs, timeOf } from './dom.ts'
import type { PageView } from './inbox.ts'

const SEARCH_MS = 150
/** Begins the id of a campaign's emails, in an address of the page. */
const CAMPAIGN = 'campaign:'

export function emailView(): PageView {
  const search = el('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Recipient, sender or subject',
    autocomplete: 'off',
    oninput: () => typed(),
  })
  const kind = el(
    'select',
    { id: 'kind', onchange: () => typed() },
    ...Object.entries(EMAIL_KINDS).map(([value, label]) => el('option', { value }, label)),
  )
  const clear = el('button', { type: 'button', onclick: () => void act('emails/clear', {}, 'The list is cleared') }, 'Clear')
  const heading = el('p', { class: 'total', role: 'status' })
  const items = el('ul', { class: 'items' })
  const more = el('button', { type: 'button', class: 'more', onclick: () => void extend() }, 'Show more')
  const head = el('div')
  const body = el('div')
  const side = el('div')
  const detail = el('section', { class: 'detail', 'aria-label': 'Email' }, head, el('div', { class: 'columns' }, body, side))
  const list = el(
    'section',
    { class: 'list', 'aria-label': 'Emails' },
    field('Search', search),
    el('div', { class: 'row' }, field('Show', kind), clear),
    heading,
    items,
    more,
  )
  let pages = 1
  let timer: ReturnType<typeof setTimeout> | undefined
  let open = ''
  let campaign = ''

  const typed = () => {
    clearTimeout(timer)
    pages = 1
    timer = setTimeout(() => void view.show(open), SEARCH_MS)
  }
  const extend = async () => {
    pages++
    await view.show(open)
  }
  const load = async (): Promise<EmailPage> => {
    const all: EmailPage = { total: 0, emails: [], next: '' }
    for (let n = 0; n < pages && all.next !== null; n++) {
      const page = await read<EmailPage>(
        `emails?${new URLSearchParams({ search: search.value, kind: kind.value, campaign, after: all.next })}`,
      )
      Object.assign(all, { total: page.total, emails: [...all.emails, ...page.emails], next: page.next })
    }
    return all
  }

  const view: PageView = {
    title: 'Email',
    element: el('div', { class: 'panes' }, list, detail),
    isList: (id) => id.startsWith(CAMPAIGN),
    async show(id) {
      open = id
      if (id === '' || id.startsWith(CAMPAIGN)) campaign = id.slice(CAMPAIGN.length)
      const page = await load()
      // Something else was opened meanwhile.
      if (id !== open) return
      draw(heading, [page.total, campaign], () => [
        `${page.total.toLocaleString()} ${page.total === 1 ? 'email' : 'emails'}`,
        campaign && ' of a campaign · ',
        campaign && el('a', { href: '#/email' }, 'All emails'),
      ])
      draw(items, [page.emails, id], () =>
        page.emails.length > 0
          ? page.emails.map((email) => itemOf(email, email.id === id))
          : [el('li', {}, empty('No email', search.value ? 'Nothing matches the search.' : 'What the API sends appears here.'))],
      )
      more.hidden = page.next === null
      if (id === '' || id.startsWith(CAMPAIGN)) return showNothing(head, body, side)
      const email = await read<ShownEmail>(`emails/${id}`)
      const { acts, ...content } = email
      draw(head, content, () => headOf(email))
      draw(body, content, () => [tabs('email', panelsOf(email))])
      draw(side, [id], () => [actionsOf(email), el('section', { class: 'card', 'aria-label': 'What happened' })])
      draw(side.lastElementChild as Element, acts, () => historyOf(acts))
    },
  }
  return view
}

function showNothing(head: Element, body: Element, side: Element): void {
  draw(head, '', () => [empty('Choose an email', 'Its content, headers and attachments are shown here, and what its recipient can do.')])
  for (const part of [body, side]) draw(part, '', () => [])
}

const itemOf = ({ id, at, to, subject, mailbox, preview, campaign, more, attachments, acts }: EmailSummary, isOpen: boolean) =>
  el(
    'li',
    {},
    el(
      'a',
      { href: `#/email/${more > 0 ? CAMPAIGN + campaign : id}`, ...(isOpen && { 'aria-current': 'true' }) },
      initialOf(to),
      el(
        'span',
        { class: 'lines' },
        el('span', { class: 'line' }, el('strong', {}, more > 0 ? `${to} and ${more.toLocaleString()} more` : to), timeOf(at)),
        el('span', { class: 'subject' }, subject || '(no subject)'),
        el('span', { class: 'preview' }, preview),
        (mailbox || campaign !== null || attachments > 0 || acts.length > 0) &&
          el(
            'span',
            { class: 'badges' },
            mailbox && badge('Gmail', 'accent'),
            campaign !== null && badge('Campaign', 'accent'),
            attachments > 0 && badge(`${attachments} ${attachments === 1 ? 'file' : 'files'}`),
            ...[...new Set(acts)].map((kind) => badge(kind, toneOf(kind))),
          ),
      ),
    ),
  )

const toneOf = (kind: string) => (['bounced', 'complained', 'unsubscribed'].includes(kind) ? 'bad' : 'good')

const headOf = ({ subject, from, to, at, mailbox }: ShownEmail) => [
  el('a', { class: 'back', href: '#/email' }, '← All emails'),
  el('h2', { tabindex: -1 }, subject || '(no subject)'),
  el(
    'div',
    { class: 'sender' },
    initialOf(from),
    el(
      'p',
      {},
      ...[el('strong', {}, from), el('br'), el('span', { class: 'quiet' }, 'to '), to],
      ...(mailbox ? [el('br'), el('span', { class: 'quiet' }, 'from the Gmail mailbox '), mailbox] : []),
    ),
    timeOf(at),
  ),
]

function panelsOf({ id, has_html, text, source, headers, attachments }: ShownEmail): Parameters<typeof tabs>[1] {
  const frame = () => el('iframe', { sandbox: true, src: `/api/emails/${id}/html`, title: 'The email as its recipient sees it' })
  return [
    ...(has_html ? [['HTML', () => [frame()]] as [string, () => Node[]]] : []),
    ['Text', () => [text ? el('pre', { class: 'text' }, text) : el('p', { class: 'quiet' }, 'There is no text part.')]],
    ['Headers', () => [headersOf(headers)]],
    ...(has_html ? [['Source', () => [el('pre', {}, source)]] as [string, () => Node[]]] : []),
    ...(attachments.length > 0 ? [[`Files (${attachments.length})`, () => [filesOf(id, attachments)]] as [string, () => Node[]]] : []),
  ]
}

const headersOf = (headers: [string, string][]) =>
  el(
    'div',
    { class: 'scrolls' },
    el(
      'table',
      {},
      el('tbody', {}, ...headers.map(([name, value]) => el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, value)))),
    ),
  )

const filesOf = (id: string, attachments: EmailAttachment[]) =>
  el(
    'ul',
    { class: 'files' },
    ...attachments.map(({ name, type, size, calendar }, index) =>
      el(
        'li',
        {},
        el('a', { href: `/api/emails/${id}/attachments/${index}`, download: name }, name),
        el('span', { class: 'quiet' }, ` ${type}, ${size.toLocaleString()} bytes`),
        calendar !== null && el('pre', {}, calendar),
      ),
    ),
  )

function actionsOf({ id, links, actions, to, mailbox }: ShownEmail): HTMLElement {
  const can = (action: string) => actions.includes(action)
  const post = (action: string, body: object, done: string) => act(`emails/${id}/${action}`, body, done)
  const button = (label: string, action: string, body: object, done: string, tone = '') =>
    el('button', { type: 'button', class: tone, onclick: () => void post(action, body, done) }, label)
  const link = el('select', { id: 'link' }, ...links.map((one) => el('option', { value: one }, one)))
  const text = el('textarea', { id: 'reply', rows: 4, required: true })
  const reply = async (event: Event) => {
    event.preventDefault()
    if (await post('reply', { text: text.value }, `Replied as ${to}`)) text.value = ''
  }
  return el(
    'section',
    { class: 'card', 'aria-labelledby': 'as-recipient' },
    el('h3', { id: 'as-recipient' }, 'As the recipient'),
    can('open') && el('div', { class: 'buttons' }, button('Open', 'open', {}, 'The provider has reported that the email was opened')),
    can('click') &&
      links.length > 0 &&
      el(
        'div',
        { class: 'row' },
        field('Link', link),
        el('button', { type: 'button', onclick: () => void post('click', { link: link.value }, `Clicked ${link.value}`) }, 'Click'),
      ),
    el('form', { onsubmit: (event) => void reply(event) }, field('Reply', text), el('button', { class: 'primary' }, 'Send reply')),
    mailbox && el('p', { class: 'quiet' }, `The reply arrives in the mailbox ${mailbox}. Gmail reports no opens, clicks or bounces.`),
    can('bounce') && el('h3', {}, 'Refuse it'),
    can('bounce') &&
      el(
        'div',
        { class: 'buttons' },
        button('Bounce', 'bounce', { type: 'HardBounce' }, 'Bounced: the address does not exist', 'danger'),
        button('Bounce for now', 'bounce', { type: 'SoftBounce' }, 'Bounced: the mailbox is full'),
        button('Complain', 'complain', {}, 'Complained about spam', 'danger'),
        can('unsubscribe') && button('Unsubscribe', 'unsubscribe', {}, 'Unsubscribed with one click', 'danger'),
      ),
  )
}

const historyOf = (acts: EmailAct[]) =>
  acts.length === 0
    ? [el('h3', {}, 'What happened'), el('p', { class: 'quiet' }, 'Nothing yet.')]
    : [
        el('h3', {}, 'What happened'),
        el(
          'ol',
          { class: 'history' },
          ...acts.map(({ kind, at, detail }) => el('li', {}, badge(kind, toneOf(kind)), timeOf(at), detail && el('p', {}, detail))),
        ),
      ]
