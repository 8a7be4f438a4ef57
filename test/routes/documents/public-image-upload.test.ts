import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { created, failed, refused, useCrm } from '../crm.ts'
import { fileOf } from '../uploads.ts'
import { declaredPng, photoOf, pngOf, useForms } from './forms.ts'

const crm = useCrm({ own: true })
const { post } = useForms(crm)
let networks = 0
/** A visitor whom nobody has seen before. */
const visitor = () => ({ 'cf-connecting-ip': `203.0.113.${++networks}` })

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><rect width="10" height="10" fill="red"/></svg>'
const send = (name: string, content: string | Uint8Array, headers: Record<string, string> = visitor(), context = 'form-avatar') =>
  post(
    '/public-image-upload',
    [
      ['context', context],
      ['file', fileOf(name, content)],
    ],
    headers,
  )
const open = (url: string) => crm.app.fetch(new URL(url).pathname)
const objects = async () => (await (await crm.app.files()).list({ prefix: 'public-images/' })).objects.map(({ key }) => key)

describe('an image of a visitor', () => {
  test('is public under the digest of its content, from every site', async () => {
    const answer = await send('logo.svg', SVG, { ...visitor(), origin: 'https://shop.example' })
    const image = created(answer)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(image.url).toBe(`http://api.test/public-images/${image.sha256}.svg`)
    expect(answer.headers.get('location')).toBe(`/public-images/${image.sha256}.svg`)
    const response = await open(image.url)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'content-security-policy': expect.stringContaining('sandbox'),
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toContain('<rect width="10" height="10" fill="red">')
    expect(created(await send('other.svg', SVG)).url).toBe(image.url)
  })

  test.each([
    ['png', () => pngOf(30, 20)],
    ['jpg', () => photoOf(30, 20)],
    [
      'webp',
      async () =>
        new Uint8Array(
          await sharp(await pngOf(30, 20))
            .webp()
            .toBuffer(),
        ),
    ],
  ])('can be a %s, which keeps nothing of its camera', async (type, make) => {
    const image = created(await send(`logo.${type}`, await make()))
    expect(image.url).toMatch(new RegExp(`\\.${type}$`))
    const stored = new Uint8Array(await (await open(image.url)).arrayBuffer())
    expect(await sharp(stored).metadata()).toMatchObject({ width: 30, height: 20 })
    expect((await sharp(stored).metadata()).exif).toBeUndefined()
  })

  test('is checked before the browser sends it', async () => {
    const response = await crm.app.fetch('/public-image-upload', { method: 'OPTIONS', headers: { origin: 'https://shop.example' } })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-headers')).toContain('X-Browser-Fingerprint')
  })

  test.each([
    ['another type', 'a.gif', 'GIF89a\x01\x00\x01\x00', failed(415, 'UNSUPPORTED_MEDIA_TYPE')],
    ['HTML', 'a.svg', '<html><body>hi</body></html>', failed(415, 'UNSUPPORTED_MEDIA_TYPE')],
    ['101 KB', 'a.svg', SVG.replace('/>', `/><!--${'x'.repeat(101_000)}-->`), failed(413, 'PAYLOAD_TOO_LARGE')],
    ['a picture that is cut off', 'a.png', declaredPng(10, 10), refused('file')],
    ['a picture without its size', 'a.jpg', `\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01${'\0'.repeat(20)}`, refused('file')],
    ['what is no text', 'a.svg', `${SVG}\xff`, failed(415, 'UNSUPPORTED_MEDIA_TYPE')],
    ['400 megapixels', 'a.png', declaredPng(20_000, 20_000), refused('file')],
    ['entities', 'a.svg', `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${SVG}`, refused('file')],
    ['an SVG within something else', 'a.svg', `<div>${SVG}</div>`, refused('file')],
  ] as const)('is refused: %s', async (_, name, content, answer) => {
    expect(await send(name, content)).toMatchObject(answer)
  })

  test('is sent with POST only', async () => {
    const response = await crm.app.fetch('/public-image-upload')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
    await response.text()
  })

  test('needs a known context', async () => {
    expect(await send('a.svg', SVG, visitor(), 'banner')).toMatchObject(refused('context'))
    expect(await post('/public-image-upload', [['file', fileOf('a.svg', SVG)]], visitor())).toMatchObject(refused('context'))
  })
})

describe('at most three uploads in 24 hours', () => {
  const limited = failed(429, 'RATE_LIMITED')
  const count = (answers: { status: number }[]) => answers.filter(({ status }) => status === 201).length

  test('from an address, also of 50 at the same moment', async () => {
    const address = visitor()
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('logo.svg', SVG, address)))
    expect(count(answers)).toBe(3)
    const fourth = await send('logo.svg', SVG, address)
    expect(fourth).toMatchObject(limited)
    const seconds = Number(fourth.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(86_000)
    expect(seconds).toBeLessThanOrEqual(86_400)
    expect(fourth.headers.get('access-control-allow-origin')).toBe('*')
    await crm.app.cron('17 3 * * *')
    expect(await send('logo.svg', SVG, address), 'also after the night').toMatchObject(limited)
    await crm.app.owner.query(`update public_image_uploads set uploaded_at = uploaded_at - interval '1 day'`)
    expect((await send('logo.svg', SVG, address)).status).toBe(201)
  })

  test('from a browser, whatever its address', async () => {
    const browser = { 'x-browser-fingerprint': 'f-1' }
    for (let n = 0; n < 3; n++) expect((await send('logo.svg', SVG, { ...visitor(), ...browser })).status).toBe(201)
    expect(await send('logo.svg', SVG, { ...visitor(), ...browser })).toMatchObject(limited)
  })

  test('from a network of IPv6', async () => {
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await send('logo.svg', SVG, { 'cf-connecting-ip': `2001:db8:1:2:${n}::1` }))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429])
    expect((await send('logo.svg', SVG, { 'cf-connecting-ip': '2001:db8:1:3::1' })).status).toBe(201)
  })

  test('of which one that was refused is none', async () => {
    const address = visitor()
    for (let n = 0; n < 4; n++) expect((await send('a.gif', 'GIF89a\x01\x00\x01\x00', address)).status).toBe(415)
    expect((await send('logo.svg', SVG, address)).status).toBe(201)
  })
})

test('an image that nothing refers to is deleted after seven days, and one that is used stays', async () => {
  const [unused, used] = [created(await send('a.png', await pngOf(5, 5))), created(await send('b.png', await pngOf(6, 6)))]
  const { owner } = crm.app
  await owner.query('create table logos (sha256 text references public_images)')
  await owner.query('insert into logos values ($1)', [used.sha256])
  const age = (days: number) =>
    owner.query(
      'update public_images set uploaded_at = now() - make_interval(days => $1), checked_at = now() - make_interval(days => $1)',
      [days],
    )
  await age(6)
  await crm.app.cron('17 3 * * *')
  expect((await open(unused.url)).status).toBe(200)
  await age(8)
  created(await send('again.png', await pngOf(5, 5)))
  await crm.app.cron('17 3 * * *')
  expect((await open(unused.url)).status, 'one that was sent again').toBe(200)
  await age(8)
  await crm.app.cron('17 3 * * *')
  expect((await open(unused.url)).status).toBe(404)
  expect((await open(used.url)).status).toBe(200)
  expect(await objects()).toContain(`public-images/${used.sha256}.png`)
  expect(await objects()).not.toContain(`public-images/${unused.sha256}.png`)
})

test('an image that a visitor uploads again while the sweep deletes it stays', async () => {
  const image = created(await send('c.png', await pngOf(7, 7)))
  const { owner } = crm.app
  // The second upload is over when the deletion of the row is.
  await owner.query(`create function upload_again() returns trigger language plpgsql as $$ begin
    insert into public_images (sha256, extension, size) values (old.sha256, old.extension, old.size); return null; end $$`)
  await owner.query(`create constraint trigger upload_again after delete on public_images deferrable initially deferred
    for each row execute function upload_again()`)
  await owner.query(`update public_images set uploaded_at = now() - interval '8 days', checked_at = now() - interval '8 days'`)
  await crm.app.cron('17 3 * * *')
  await owner.query('drop trigger upload_again on public_images')
  expect(await (await open(image.url)).arrayBuffer()).toHaveProperty('byteLength', image.size)
})
