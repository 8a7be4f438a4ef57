/**
 * The script that pages load. As the real one it puts a frame into each element with the class `cf-turnstile`, and beside it a hidden field
 * that gets the token once the frame has one. A token that expires is replaced.
 */
export const TURNSTILE_SCRIPT = `(() => {
  const { origin } = new URL(document.currentScript.src)
  const render = (element) => {
    if (element.dataset.rendered) return
    element.dataset.rendered = 'yes'
    const { sitekey = '', action = '', cdata = '' } = element.dataset
    const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'cf-turnstile-response' })
    const frame = Object.assign(document.createElement('iframe'), { title: 'Widget containing a Cloudflare security challenge' })
    frame.src = origin + '/turnstile/v0/frame?' + new URLSearchParams({ sitekey, action, cdata, hostname: location.hostname })
    frame.style.cssText = 'border:0;width:150px;height:140px'
    addEventListener('message', ({ source, origin: from, data }) => {
      if (source !== frame.contentWindow || from !== origin || typeof data?.token !== 'string') return
      field.value = data.token
      setTimeout(() => { field.value = ''; frame.src = frame.src }, data.valid_ms)
    })
    element.append(frame, field)
  }
  const renderAll = () => document.querySelectorAll('.cf-turnstile').forEach(render)
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', renderAll)
  else renderAll()
})()
`

/** The frame of a widget, which hands a token to its page. */
export const turnstileFrame = (token: string, validMs: number): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Challenge</title><p>You are a person (emulator)</p>
<script>parent.postMessage(${JSON.stringify({ token, valid_ms: validMs })}, '*')</script></html>
`
