import { notify, read } from './api.ts'
import { el } from './dom.ts'
import { emailView } from './emails.ts'
import { faultsView } from './faults.ts'
import { paymentsView } from './payments.ts'
import { smsView } from './sms.ts'
import { whatsAppView } from './whatsapp.ts'

/** A part of the page with its own address; `id` is what is open in it. */
export interface PageView {
  title: string
  element: HTMLElement
  show(id: string): Promise<void>
  /** Whether the id is that of a list, so that nothing is open in it. */
  isList?(id: string): boolean
}

const VIEWS: Record<string, () => PageView> = {
  email: emailView,
  sms: smsView,
  whatsapp: whatsAppView,
  payments: paymentsView,
  faults: faultsView,
}
const main = document.getElementById('main') as HTMLElement
const live = document.getElementById('live') as HTMLElement

let view: PageView | undefined
let name = ''
let open = ''

/** Shows what the address names. After a step of the reader, the focus goes to what was opened. */
async function route(isStep: boolean): Promise<void> {
  const [, next = 'email', ...rest] = location.hash.split('/')
  const id = decodeURIComponent(rest.join('/'))
  const make = VIEWS[next] ?? emailView
  if (!view || name !== next) {
    view = make()
    main.replaceChildren(view.element)
  }
  ;[name, open] = [next, id]
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.getAttribute('data-view') === next) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  main.classList.toggle('opened', id !== '' && !view.isList?.(id))
  document.title = `${view.title} · Local inbox`
  await refresh()
  if (!isStep) return
  if (id) main.querySelector<HTMLElement>('.detail h2')?.focus()
  window.scrollTo(0, 0)
}

type Summary = Record<'emails' | 'sms' | 'whatsapp' | 'payments' | 'faults', number>

async function refresh(): Promise<void> {
  try {
    const [summary] = await Promise.all([read<Summary>('summary'), view?.show(open)])
    for (const count of document.querySelectorAll<HTMLElement>('[data-count]')) {
      const number = summary[count.dataset.count as keyof Summary]
      count.textContent = number.toLocaleString()
      count.classList.toggle('warns', count.dataset.count === 'faults' && number > 0)
    }
  } catch (error) {
    notify(error instanceof Error ? error.message : String(error), true)
  }
}

let isRefreshing = false
let isStale = false

/** One refresh at a time; what changes meanwhile is shown by one more. */
async function follow(): Promise<void> {
  isStale = true
  if (isRefreshing) return
  isRefreshing = true
  while (isStale) {
    isStale = false
    await refresh()
  }
  isRefreshing = false
}

function sayState(text: string, isLive: boolean): void {
  if (live.textContent === text) return
  live.replaceChildren(el('span', {}, text))
  live.classList.toggle('on', isLive)
}

const changes = new EventSource('/api/changes')
changes.onmessage = () => {
  sayState('Live', true)
  void follow()
}
changes.onerror = () => sayState('Disconnected', false)
addEventListener('hashchange', () => void route(true))
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})
void route(false)
