import { act, read } from './api.ts'
import { badge, draw, el, empty, initialOf } from './dom.ts'
import type { PageView } from './inbox.ts'

type Payment = { id: string; title: string; total: string; state: string; acts: string[]; url: string | null; lines: string[] }

const LABELS: Record<string, [label: string, done: string]> = {
  pay: ['Pay as the buyer', 'Paid'],
  delay: ['Pay, confirmed later by the bank', 'The bank has the payment'],
  expire: ['Let the page expire', 'The page has expired'],
  confirm: ['Confirm as the bank', 'The bank has confirmed the payment'],
  fail: ['Refuse as the bank', 'The bank has refused the payment'],
  refund: ['Refund all of it', 'Refunded'],
  dispute: ['Dispute as the buyer', 'Disputed'],
  win: ['Win the dispute', 'The dispute is won'],
  lose: ['Lose the dispute', 'The dispute is lost'],
}

/** The payments of order forms at the emulated Stripe. */
export function paymentsView(): PageView {
  const items = el('ul', { class: 'items' })
  const body = el('div')
  return {
    title: 'Payments',
    element: el(
      'div',
      { class: 'panes' },
      el('section', { class: 'list', 'aria-label': 'Payments' }, items),
      el('section', { class: 'detail', 'aria-label': 'Payment' }, body),
    ),
    async show(id) {
      const { payments } = await read<{ payments: Payment[] }>('payments')
      draw(items, [payments, id], () =>
        payments.length > 0
          ? payments.map((payment) => itemOf(payment, payment.id === id))
          : [el('li', {}, empty('No payment', 'What is ordered on the page of an order form appears here.'))],
      )
      const open = payments.find((payment) => payment.id === id)
      draw(body, open ?? '', () => (open ? detailOf(open) : [empty('Choose a payment', 'Pay, refund or dispute it here.')]))
    },
  }
}

const itemOf = ({ id, title, total, state }: Payment, isOpen: boolean) =>
  el(
    'li',
    {},
    el(
      'a',
      { href: `#/payments/${encodeURIComponent(id)}`, ...(isOpen && { 'aria-current': 'true' }) },
      initialOf(title),
      el(
        'span',
        { class: 'lines' },
        el('span', { class: 'line' }, el('strong', {}, title), badge(state)),
        el('span', { class: 'subject' }, total),
      ),
    ),
  )

const detailOf = ({ id, title, total, state, acts, url, lines }: Payment) => [
  el('a', { class: 'back', href: '#/payments' }, '← All payments'),
  el('h2', { tabindex: -1 }, `${total} from ${title}`),
  el('p', { class: 'quiet' }, `${state} · ${id}`),
  el('ul', {}, ...lines.map((line) => el('li', {}, line))),
  url && el('p', {}, el('a', { href: url }, 'Open the page of the provider')),
  el(
    'div',
    { class: 'buttons' },
    ...acts.map((name) => {
      const [label, done] = LABELS[name] ?? [name, name]
      return el('button', { id: `payment-${name}`, onclick: () => void act(`payments/${id}/${name}`, {}, done) }, label)
    }),
  ),
]
