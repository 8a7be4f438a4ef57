import { expect, test } from 'vitest'
import { MOST_ANSWER } from '../../../src/features/scheduling/rules/limits.ts'
import { QUESTION_TYPES } from '../../../src/features/scheduling/rules/questions.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { eventType, sydney } from './scheduling.ts'
import { day, formAt, hiddenFields, links, openPage, visitor, visits } from './visitor.ts'

const crm = useCrm()
const { filled, bookings } = visits(crm)

const QUESTIONS = QUESTION_TYPES.map((type) => ({
  key: `a_${type}`,
  label: `About ${type}`,
  type,
  ...(type === 'choice' && { options: ['Roof', 'Deck'] }),
}))
const NEEDED = { key: 'needed', label: 'Which street?', type: 'text', required: true }

/** A fault of a form: what is sent, the field, and what the page says in English and in German. */
type Fault = [sent: Row, field: string, en: string, de: string]
const ANSWERS: Record<(typeof QUESTION_TYPES)[number], [wrong: string, en: string, de: string]> = {
  text: ['x'.repeat(MOST_ANSWER + 1), 'write a shorter answer', 'bitte kürzer antworten'],
  number: ['a lot', 'enter a number such as 12 or 12.5', 'geben Sie eine Zahl wie 12 oder 12.5 ein'],
  yes_no: ['maybe', 'answer yes or no', 'antworten Sie mit Ja oder Nein'],
  date: ['2026-02-30', 'enter a date such as 2026-12-01', 'geben Sie ein Datum wie 2026-12-01 ein'],
  choice: ['Wall', 'choose one of the answers', 'wählen Sie eine der Antworten'],
}
const FAULTS: Fault[] = [
  [{ name: ' ' }, 'name', 'Enter your name, with at most 200', 'Geben Sie Ihren Namen mit höchstens 200'],
  [{ name: 'x'.repeat(201) }, 'name', 'Enter your name, with at most 200', 'Geben Sie Ihren Namen mit höchstens 200'],
  [{ email: '' }, 'email', 'Enter your email address or your phone number', 'Geben Sie Ihre E-Mail-Adresse oder Telefonnummer ein'],
  [{ email: 'ana@' }, 'email', 'Enter an email address such as', 'Geben Sie eine E-Mail-Adresse wie'],
  [{ phone: '12' }, 'phone', 'Enter a complete phone number such as', 'Geben Sie eine vollständige Telefonnummer wie'],
  [{ guests: 'ben@' }, 'guests', 'Guests: ben@ is not an email address', 'Gäste: ben@ ist keine E-Mail-Adresse'],
  [{ guests: 'a@example.com b@example.com' }, 'guests', 'Guests: name at most 1', 'Gäste: höchstens 1'],
  [{ q_needed: '' }, 'q_needed', 'This question needs an answer: Which street?', 'Beantworten Sie die Frage: Which street?'],
  [{ notes: 'x'.repeat(5_001) }, 'notes', 'Anything we should know: write at most 5000', 'Was sollten wir wissen?: höchstens 5000'],
  [{ q_a_text: '\u0000' }, 'q_a_text', 'About text: write a shorter answer', 'About text: bitte kürzer antworten'],
  [{ website: 'https://spam.example' }, 'website', 'Leave this field empty', 'Dieses Feld leer lassen'],
  ...Object.entries(ANSWERS).map(
    ([type, [wrong, en, de]]): Fault => [{ [`q_a_${type}`]: wrong }, `q_a_${type}`, `About ${type}: ${en}`, `About ${type}: ${de}`],
  ),
]

/** The faults that a page names, each with its field. */
const faultsOf = (text: string) => [...text.matchAll(/<li><a href="#([^"]+)">([^<]*)<\/a>/g)].map(([, field, shown]) => [field, shown])

test('each fault of a form is named at its field, in the language of the page, and nothing is booked', async () => {
  await eventType(crm.ws, { questions: [...QUESTIONS, NEEDED], max_guests: 1 })
  const page = await openPage(crm.ws)
  const right = await filled(page, '09:00', { q_needed: 'Bridge Street' })
  for (const [sent, field, en, de] of FAULTS)
    for (const [lang, shown] of [
      ['en', en],
      ['de', de],
    ] as const) {
      const { status, text } = await visitor(crm.app).post(`${page}/first-meeting`, { ...right, lang, ...sent })
      expect([status, faultsOf(text)], `${lang} ${field}`).toEqual([422, [[field, expect.stringContaining(shown)]]])
      expect(text).toContain(`<html lang="${lang}">`)
    }
  expect(await bookings()).toEqual([])
})

test('an answer of each type is kept as it was asked, in one form of yes and no', async () => {
  await eventType(crm.ws, { questions: QUESTIONS })
  const page = await openPage(crm.ws)
  const typed = { text: ' By the\nwindow ', number: '-12.5', yes_no: 'NO', date: '2028-02-29', choice: 'deck' }
  const sent = Object.fromEntries(Object.entries(typed).map(([key, text]) => [`q_a_${key}`, text]))
  expect((await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, '09:00', sent))).status).toBe(303)
  const [{ answers }] = (await bookings()) as [Row]
  expect(Object.fromEntries(answers.map(({ key, answer }: Row) => [key.slice(2), answer]))).toEqual({
    text: 'By the\nwindow',
    number: '-12.5',
    yes_no: 'no',
    date: '2028-02-29',
    choice: 'Deck',
  })
})

test('a form whose event type has another duration meanwhile leads back to its times, with the language', async () => {
  const { id } = await eventType(crm.ws, { other_durations: [60] })
  const page = await openPage(crm.ws)
  const fields = { ...(await filled(page, '09:00')), duration: '60', lang: 'de' }
  found(await crm.ws.patch(`/scheduled-event-types/${id}`, { other_durations: [] }))
  const { status, location } = await visitor(crm.app).post(`${page}/first-meeting`, fields)
  expect([status, new URL(location as string, 'http://x').pathname, location?.includes('lang=de')]).toEqual([
    303,
    `${page}/first-meeting`,
    true,
  ])
  expect(await bookings()).toEqual([])
})

test('pages in German say what is held, when the booking is now, and in which zone its days are', async () => {
  await eventType(crm.ws, { max_guests: 3, redirect_url: 'https://www.example.com/thanks' })
  const page = await openPage(crm.ws)
  const eva = visitor(crm.app, { language: 'de' })
  expect((await eva.get(formAt(page, '09:00'))).text).toContain('Ihre E-Mail-Adressen, höchstens 3,')
  const { location } = await eva.post(`${page}/first-meeting`, await filled(page, '09:00'))
  const done = await eva.get(location as string)
  expect(links(done)).toContain('https://www.example.com/thanks')
  expect(done.text).toContain('Weiter zu www.example.com</a>')
  const link = (location as string).split('?')[0]
  const times = await eva.get(`${link}/move?from=${day}&day=${day}`)
  expect(times.text).toContain('Bisherige Zeit: ')
  const month = links(times).find((one) => one.includes('month=')) as string
  const shown = await eva.get(`${link}/move${month.startsWith('?') ? month : month.slice(month.indexOf('?'))}`)
  expect(shown.text).toContain('Die Tage gelten in der Zeitzone Australia/Sydney.')
  expect(shown.text).toContain('Bisherige Zeit: ')
  const form = await eva.get(`${link}/move?at=${sydney(day, '15:00')}&lang=de`)
  const moved = await eva.post(`${link}/move`, hiddenFields(form))
  expect(moved.location).toBe(`${link}?done=moved&lang=de`)
  expect((await eva.get(moved.location as string)).text).toContain('<h1>Ihr Termin wurde verschoben</h1>')
})
