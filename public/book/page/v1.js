/* Booking pages with a script. Each is complete without it. */
;(() => {
  const one = (selector, within = document) => within.querySelector(selector)

  /** The site that shows this page in a frame, once it has said so, if its workspace allows it. */
  let site
  const tell = (message) => site && parent.postMessage(message, site)
  const tellHeight = () => tell({ type: 'booking:height', height: Math.ceil(document.documentElement.getBoundingClientRect().height) })
  if (parent !== self) {
    const { sites = '', booked } = document.body.dataset
    let news = booked
    addEventListener('message', ({ data, origin, source }) => {
      if (source !== parent || data?.type !== 'booking:hello' || !sites.split(' ').includes(origin)) return
      site = origin
      tellHeight()
      if (news) tell({ type: 'booking:booked', status: news })
      news = undefined
    })
    new ResizeObserver(tellHeight).observe(document.documentElement)
  }
  // A reload shows the booking, and announces it no more.
  if (document.body.dataset.booked) history.replaceState(null, '', withParameter('done', undefined))
  const next = one('#next')
  if (next && parent === self) location.replace(next.href)

  function withParameter(name, value) {
    const url = new URL(location.href)
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
    return url
  }

  const addressOf = (url) => url.pathname + url.search
  let latest = 0
  let shown = addressOf(location)
  /** Shows another address in the place of this one. `change`: what happens to the history of the browser. */
  async function show(address, change, focus) {
    const turn = ++latest
    const url = new URL(address, location.href)
    const next = await load(url)
    if (turn !== latest) return
    if (!next) return location.assign(url)
    const active = document.activeElement?.id
    for (const part of ['main', 'footer']) one(part).replaceWith(document.adoptNode(one(part, next)))
    document.title = next.title
    if (change) history[change](null, '', url)
    shown = addressOf(url)
    const target = focus ? (one(focus) ?? one('h1')) : document.getElementById(active)
    if (target && target.tabIndex < 0) target.tabIndex = -1
    target?.focus()
  }

  /** The page at an address; undefined if it cannot be had. */
  async function load(url) {
    try {
      const response = await fetch(url, { credentials: 'omit' })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      return response.ok && one('main', page) ? page : undefined
    } catch {
      return undefined
    }
  }

  const isPlain = ({ button, metaKey, ctrlKey, shiftKey, altKey }) => button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('.days a, .pages a')
    if (!link || !isPlain(event)) return
    event.preventDefault()
    show(link.href, 'pushState', link.closest('.pages') ? '#days' : '#times')
  })
  // The browser also reports links within the page.
  addEventListener('popstate', () => {
    if (addressOf(location) !== shown) show(location.href)
  })

  const UNSENT_AFTER_MS = 15_000
  const unlock = (form) => {
    delete form.dataset.sent
    one('button[type=submit]', form)?.removeAttribute('aria-disabled')
  }
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (form.method === 'get') {
      event.preventDefault()
      return void show(`${form.action}?${new URLSearchParams(new FormData(form))}`, 'pushState', '#zone')
    }
    if (form.dataset.sent) return event.preventDefault()
    form.dataset.sent = 'yes'
    one('button[type=submit]', form)?.setAttribute('aria-disabled', 'true')
    setTimeout(unlock, UNSENT_AFTER_MS, form)
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) for (const form of document.forms) unlock(form)
  })

  const fault = one('.errors a')
  const field = fault && document.getElementById(fault.hash.slice(1))
  const control = field?.matches('input, select, textarea') ? field : field && one('input, select, textarea', field)
  if (!control?.closest('.trap')) control?.focus()

  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const select = one('#tz')
  if (zone && select && select.value !== zone && !new URL(location.href).searchParams.has('tz'))
    show(withParameter('tz', zone), 'replaceState')
})()
