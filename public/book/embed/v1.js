/*
  Puts a booking page into a site: <script src="https://…/book/embed/v1.js" data-page="company/event-type"></script>
  The frame dispatches `booking:booked` once something was booked; `detail.status` is `confirmed` or `requested`.
*/
;(() => {
  const script = document.currentScript
  if (!script) return
  const { page = '', lang, title, target } = script.dataset
  const url = new URL(`../${page.split('/').map(encodeURIComponent).join('/')}`, script.src)
  if (lang) url.searchParams.set('lang', lang)

  const frame = document.createElement('iframe')
  frame.src = url.href
  frame.title = title || 'Booking'
  frame.referrerPolicy = 'no-referrer'
  frame.style.cssText = 'display:block;width:100%;height:40rem;border:0'
  frame.addEventListener('load', () => frame.contentWindow.postMessage({ type: 'booking:hello' }, url.origin))
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== url.origin || source !== frame.contentWindow || !data) return
    if (data.type === 'booking:height' && Number.isFinite(data.height))
      frame.style.height = `${Math.min(Math.max(data.height, 100), 20_000)}px`
    if (data.type === 'booking:booked')
      frame.dispatchEvent(new CustomEvent('booking:booked', { bubbles: true, detail: { status: data.status } }))
  })

  const place = target && document.querySelector(target)
  if (place) place.append(frame)
  else script.after(frame)
})()
