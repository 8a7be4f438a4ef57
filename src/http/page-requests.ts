const PARAMETERS = ['lang', 'tz', 'day', 'from', 'next', 'month', 'at', 'duration', 'done', 'cancelled', 'name', 'email', 'phone']
const MOST = 100

/**
 * A visitor's request for a page that is opened without a key, without the parameters that the pages do not have, such as those of
 * advertisements, and with the time zone that the network knows of the visitor. Of a parameter that is sent twice the first one counts.
 */
export function pageRequest(request: Request): Request {
  const url = new URL(request.url)
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '')
  const sent = PARAMETERS.flatMap((name) => {
    const value = url.searchParams.get(name)
    return value ? [[name, value.slice(0, MOST)]] : []
  })
  const zone = (request as Request & { cf?: { timezone?: unknown } }).cf?.timezone
  url.search = new URLSearchParams([...sent, ...(typeof zone === 'string' ? [['visitor_zone', zone]] : [])]).toString()
  return new Request(url, request)
}
