import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LocalServer, readText, reply, startLocalServer } from './local-server.ts'

/**
 * How the next requests fail: with a status, or without an answer. With `accept` the work is done first, so that only the response is lost.
 */
export type SpeechFailMode = '400' | '401' | '402' | '429' | '500' | '503' | 'drop'
type Utterance = { start: number; end: number; speaker: number; transcript: string }
type Accepted = { request_id: string; audio_url: string; callback: string | null; query: Record<string, string> }
export type SpeechCallback = { url: string; init: { method: 'POST'; headers: Record<string, string>; body: string } }

export interface SpeechEmulator extends LocalServer {
  key: string
  /** The requests that were accepted. */
  accepted: Accepted[]
  /** The address of a recording that anybody can read; of another content type, or with another status, if the name says so. */
  audio(name?: 'call.mp3' | 'page.html' | 'moved.mp3' | 'gone.mp3' | 'down.mp3'): string
  fail(mode: SpeechFailMode, times?: number, accept?: boolean): void
  /** What is posted to the callback of an accepted request: its result, or an error. */
  callback(at: number, of?: { utterances?: Utterance[]; duration?: number; error?: string }): SpeechCallback
  clear(): void
}

export const CONVERSATION: Utterance[] = [
  { start: 0.2, end: 4.1, speaker: 0, transcript: 'Harbour Renovations, good morning. How can I help you?' },
  { start: 4.6, end: 12.3, speaker: 1, transcript: 'Good morning. I would like a new kitchen, and I wonder when somebody could come.' },
  { start: 11.5, end: 14.2, speaker: 0, transcript: 'Does Tuesday suit you?' },
  { start: 16.2, end: 18.4, speaker: 1, transcript: 'Tuesday is fine. What does a visit cost?' },
  { start: 18.9, end: 20.1, speaker: 0, transcript: 'Nothing at all.' },
]

/**
 * Emulates the transcription of recordings by Deepgram (https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded) and
 * serves recordings. With `isPrompt` it reports by itself; otherwise whoever uses it delivers the callbacks, in any order and number.
 */
export async function startSpeechEmulator(options: { port?: number; isPrompt?: boolean } = {}): Promise<SpeechEmulator> {
  const failures: { mode: SpeechFailMode; accept: boolean }[] = []

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://local')
    if (pathname.startsWith('/audio/')) return serveAudio(pathname, response)
    if (pathname === '/__accepted') return reply(response, 200, emulator.accepted)
    if (request.headers.authorization !== `Token ${emulator.key}`)
      return reply(response, 401, { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.' })
    const failure = failures.shift()
    const body = JSON.parse((await readText(request)) || '{}')
    if (!URL.canParse(body.url)) return reply(response, 400, { err_code: 'Bad Request', err_msg: 'url is required' })
    if (failure && !failure.accept) return breakOff(request, response, failure.mode)
    const callback = searchParams.get('callback')
    const request_id = randomUUID()
    emulator.accepted.push({ request_id, audio_url: body.url, callback, query: Object.fromEntries(searchParams) })
    if (failure) return breakOff(request, response, failure.mode)
    if (!callback) return reply(response, 200, resultOf(request_id, CONVERSATION, 20.4))
    reply(response, 200, { request_id })
    if (!options.isPrompt) return
    const { url, init } = emulator.callback(emulator.accepted.length - 1)
    await fetch(url, init).catch(() => {})
  }

  function breakOff(request: IncomingMessage, response: ServerResponse, mode: SpeechFailMode) {
    if (mode === 'drop') request.socket.destroy()
    else reply(response, Number(mode), { err_code: 'ERROR', err_msg: 'The request fails' })
  }

  const server = await startLocalServer(answer, {
    port: options.port,
    onError: (response, error) => reply(response, 500, { err_code: 'INTERNAL', err_msg: String(error) }),
  })
  const emulator: SpeechEmulator = {
    ...server,
    key: 'local-speech-key',
    accepted: [],
    audio: (name = 'call.mp3') => `${server.url}/audio/${name}`,
    fail(mode, times = 1, accept = false) {
      for (let i = 0; i < times; i++) failures.push({ mode, accept })
    },
    callback(at, { utterances = CONVERSATION, duration = 20.4, error } = {}) {
      const { callback, request_id } = emulator.accepted[at] as Accepted
      const body = error ? { err_code: 'REMOTE_CONTENT_ERROR', err_msg: error, request_id } : resultOf(request_id, utterances, duration)
      return {
        url: String(callback),
        init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      }
    },
    clear() {
      emulator.accepted.length = 0
      failures.length = 0
    },
  }
  return emulator
}

function serveAudio(path: string, response: ServerResponse) {
  if (path.endsWith('moved.mp3')) return response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
  if (path.endsWith('gone.mp3')) return response.writeHead(404).end()
  if (path.endsWith('down.mp3')) return response.writeHead(503).end()
  return response.writeHead(206, { 'content-type': path.endsWith('.html') ? 'text/html' : 'audio/mpeg' }).end('I')
}

/** The document that Deepgram returns and reports. */
function resultOf(request_id: string, utterances: Utterance[], duration: number) {
  const transcript = utterances.map((one) => one.transcript).join(' ')
  const wordsOf = ({ start, end, speaker, transcript: text }: Utterance) =>
    text.split(' ').map((word, at, all) => {
      const length = (end - start) / all.length
      const bare = word.toLowerCase().replace(/\W/g, '')
      return { word: bare, punctuated_word: word, start: start + at * length, end: start + (at + 1) * length, speaker, confidence: 0.98 }
    })
  // The package gives written words to those of utterances only.
  const words = utterances.flatMap(wordsOf).map(({ punctuated_word: _, ...word }) => word)
  const alternatives = [{ transcript, confidence: 0.98, words }]
  return {
    metadata: { request_id, created: new Date().toISOString(), duration, channels: 1, models: [], model_info: {}, sha256: '0'.repeat(64) },
    results: {
      channels: [{ alternatives, detected_language: 'en' }],
      utterances: utterances.map((one) => ({ ...one, id: randomUUID(), channel: 0, confidence: 0.98, words: wordsOf(one) })),
    },
  }
}
