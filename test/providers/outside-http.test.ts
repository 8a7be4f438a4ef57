import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDnsEmulator } from '../../dev/dns-emulator.ts'
import { type LocalServer, startLocalServer } from '../../dev/local-server.ts'
import { MAX_READ, MAX_SENT, outsideHttp } from '../../src/providers/http/client.ts'
import { dnsOverHttps } from '../../src/providers/http/resolver.ts'

let server: LocalServer
let dns: Awaited<ReturnType<typeof startDnsEmulator>>
let host: string
const calls: string[] = []

beforeAll(async () => {
  dns = await startDnsEmulator()
  server = await startLocalServer((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    if (request.url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    else if (request.url === '/large') response.end('x'.repeat(3 * MAX_READ))
    else if (request.url === '/drop') request.socket.destroy()
    else if (request.url?.startsWith('/as-'))
      response
        .writeHead(200, { 'content-type': `text/plain; charset=${decodeURIComponent(request.url.slice(4))}` })
        .end(Buffer.from('M\xfcller', 'latin1'))
    else if (request.url === '/slow-body') response.write('begun')
    else if (request.url !== '/hang') request.pipe(response)
  })
  host = server.host
})
afterAll(async () => {
  await server.close()
  await dns.close()
})

const client = (deadlineMs?: number) =>
  outsideHttp({ rules: { own: [], local: [host] }, resolver: dnsOverHttps(dns.url), ...(deadlineMs && { deadlineMs }) })
const post = (path: string, deadlineMs?: number) => client(deadlineMs).send({ method: 'POST', url: `http://${host}${path}`, body: 'sent' })

test('returns status, headers and body, and follows no redirect', async () => {
  expect(await post('/')).toMatchObject({ ok: true, status: 200, body: 'sent', truncated: false })
  expect(await post('/redirect')).toMatchObject({ ok: true, status: 302, headers: { location: 'http://169.254.169.254/' } })
})

test('reads a bounded part of a large body', async () => {
  const response = await post('/large')
  expect(response).toMatchObject({ ok: true, truncated: true })
  expect(response.ok && response.body.length).toBe(MAX_READ)
})

test('a receiver that hangs, drops the connection or never ends its body is a failure', async () => {
  expect(await post('/hang', 100)).toMatchObject({ ok: false, failure: 'timeout' })
  expect(await post('/slow-body', 100)).toMatchObject({ ok: false, failure: 'timeout' })
  expect(await post('/drop')).toMatchObject({ ok: false, failure: 'failed' })
})

test('sends nothing that is not allowed', async () => {
  const before = calls.length
  const send = (more: object) => client().send({ method: 'POST', url: `http://${host}/`, ...more })
  expect(await send({ url: 'http://2852039166/' })).toMatchObject({ ok: false, failure: 'refused' })
  expect(await send({ headers: { host: 'example.com' } })).toMatchObject({ ok: false, failure: 'refused' })
  expect(await send({ headers: { 'x-a': 'b\r\nx-c: d' } })).toMatchObject({ ok: false, failure: 'refused' })
  expect(await send({ method: 'CONNECT' })).toMatchObject({ ok: false, failure: 'refused' })
  expect(await send({ body: 'x'.repeat(MAX_SENT + 1) })).toMatchObject({ ok: false, failure: 'refused' })
  expect(calls.length).toBe(before)
})

test('a name is looked up first, and refused if one of its addresses is not public', async () => {
  dns.names.set('inside.example.com', ['8.8.8.8', '10.0.0.5'])
  dns.names.set('inside6.example.com', ['::ffff:169.254.169.254'])
  const get = (name: string) => client().send({ method: 'GET', url: `https://${name}/` })
  expect(await get('inside.example.com')).toMatchObject({ failure: 'refused', reason: expect.stringContaining('a private address') })
  expect(await get('inside6.example.com')).toMatchObject({ failure: 'refused' })
  expect(await get('nowhere.example.com')).toMatchObject({ failure: 'unresolved' })
  const wrong = ['10.0.0.5 ', 'localhost', '0x7f000001', '2130706433', '127.1', '', 'http://10.0.0.5', '::1%', '8.8.8.8/8']
  for (const [n, answer] of wrong.entries()) {
    dns.names.set(`wrong-${n}.example.com`, ['8.8.8.8', answer])
    expect(await get(`wrong-${n}.example.com`), answer).toMatchObject({ ok: false, failure: expect.stringMatching(/unresolved|refused/) })
  }
  const many = Array.from({ length: 60 }, (_, n) => (n < 59 ? `8.8.4.${n}` : '10.0.0.5'))
  dns.names.set('many.example.com', many)
  expect(await get('many.example.com')).toMatchObject({ failure: 'unresolved' })
  dns.failing = true
  expect(await get('other.example.com')).toMatchObject({ failure: 'unresolved' })
  dns.failing = false
})

test('a header that is too long, too many of them, and a body where there is none are refused', async () => {
  const before = calls.length
  const send = (more: object) => client().send({ method: 'POST', url: `http://${host}/`, ...more })
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'a']))
  for (const [more, reason] of [
    [{ headers: many(51) }, 'At most 50 headers'],
    [{ headers: { 'x-a': 'a'.repeat(4097) } }, 'x-a cannot be sent'],
    [{ headers: { 'x a': 'a' } }, 'x a cannot be set'],
    [{ method: 'GET', body: '' }, 'A GET request has no body'],
    [{ method: 'HEAD', body: 'a' }, 'A HEAD request has no body'],
  ] as const)
    expect(await send(more)).toMatchObject({ ok: false, failure: 'refused', reason: expect.stringContaining(reason) })
  expect(calls.length).toBe(before)
  for (const more of [{ headers: many(50) }, { headers: { 'x-a': 'a'.repeat(4096) } }, { method: 'GET' }, { method: 'HEAD' }])
    expect(await send(more)).toMatchObject({ ok: true })
})

test('text is in the encoding that the response names, and in UTF-8 if it names none that is known', async () => {
  const bodyAs = async (charset: string) => ((await post(`/as-${charset}`)) as { body: string }).body
  expect([await bodyAs('iso-8859-1'), await bodyAs('"windows-1252"')]).toEqual(['Müller', 'Müller'])
  expect([await bodyAs('x-own'), await bodyAs('')]).toEqual(['M\ufffdller', 'M\ufffdller'])
})

test('a public name is called, a name of this machine is not looked up, and a look-up takes of the time of the call', async () => {
  const called: string[] = []
  const call = async (url: string | URL | Request) => {
    called.push(String(url))
    return new Response('ok')
  }
  const send = (url: string, resolver: (name: string, signal: AbortSignal) => Promise<string[]>, deadlineMs = 1_000) =>
    outsideHttp({ rules: { own: [], local: ['host.test:8080', 'machine.test'] }, resolver, fetch: call as typeof fetch, deadlineMs }).send({
      method: 'GET',
      url,
    })
  const refuse = () => Promise.reject(new Error('looked up'))
  expect(await send('https://shop.example/', () => Promise.resolve(['93.184.216.34']))).toMatchObject({ ok: true, body: 'ok' })
  expect(await send('http://host.test:8080/', refuse)).toMatchObject({ ok: true })
  expect(await send('http://machine.test:9090/', refuse)).toMatchObject({ ok: true })
  expect(await send('https://shop.example/', refuse)).toMatchObject({ failure: 'unresolved', reason: expect.stringContaining('looked up') })
  const hangs = (_: string, signal: AbortSignal) =>
    new Promise<string[]>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  expect(await send('https://shop.example/', hangs, 50)).toMatchObject({ failure: 'timeout' })
  expect(called).toHaveLength(3)
})
