/** What a card shows: a record by its id, or a page by its address. */
export const CARD_TYPES = ['notepad', 'youtube', 'link', 'html_embed', 'document', 'image', 'file'] as const
export type CardType = (typeof CARD_TYPES)[number]
export const PROGRESS = ['not_started', 'started', 'done'] as const

/** The most cards of a canvas. */
export const MAX_CARDS = 200

/** What the frame of an html_embed may do; without allow-same-origin it reads nothing of the page around it. */
export const SANDBOX = 'allow-scripts allow-forms allow-popups'

const IDS: readonly CardType[] = ['notepad', 'document', 'image', 'file']
export const showsRecord = (type: CardType): boolean => IDS.includes(type)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const YOUTUBE_HOSTS = ['youtube.com', 'www.youtube.com', 'm.youtube.com', 'music.youtube.com', 'www.youtube-nocookie.com']
const VIDEO = /^[A-Za-z0-9_-]{11}$/

/** The id of the video of a YouTube address; undefined for any other address. */
export function videoIdOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.port) return undefined
  const [, first = '', second = ''] = url.pathname.split('/')
  if (url.hostname === 'youtu.be') return VIDEO.test(first) ? first : undefined
  if (!YOUTUBE_HOSTS.includes(url.hostname)) return undefined
  const id = first === 'watch' ? (url.searchParams.get('v') ?? '') : ['embed', 'shorts', 'live'].includes(first) ? second : ''
  return VIDEO.test(id) ? id : undefined
}

const isWeb = (address: string, ...protocols: string[]) =>
  /^https?:\/\/[^\s/]/i.test(address) && URL.canParse(address) && protocols.includes(new URL(address).protocol)

/** Why a card of this type cannot show what `url` names, as far as the text says it. */
export function urlFault(type: CardType, url: string): string | undefined {
  if (showsRecord(type)) return UUID.test(url) ? undefined : `must be the id of what a card of the type ${type} shows`
  if (type === 'youtube')
    return videoIdOf(url)
      ? undefined
      : 'must be the full address of a video at YouTube, such as https://www.youtube.com/watch?v=dQw4w9WgXcQ'
  if (type === 'html_embed') return isWeb(url, 'https:') ? undefined : 'must be an address for a frame that begins with https://'
  return isWeb(url, 'http:', 'https:') ? undefined : 'must be a web address that begins with https:// or http://'
}

/** What may be the type of a card with this url, for a change that sends none. */
export const likelyType = (url: string): CardType => (UUID.test(url) ? 'notepad' : videoIdOf(url) ? 'youtube' : 'link')

/** The guides that a new canvas with the template getting_started links to: the first things that a workspace sets up. */
export const STARTER_CARDS = [
  { guide: 'quickstart', title: 'First steps', description: 'Create a contact, a company and an opportunity.' },
  { guide: 'imports-and-exports', title: 'Bring your data', description: 'Import contacts and companies from a file.' },
  { guide: 'custom-fields', title: 'Your own fields', description: 'Add what your business knows of its customers.' },
  { guide: 'inbox', title: 'The inbox', description: 'Emails, SMS and WhatsApp in one place.' },
  { guide: 'scheduling', title: 'Bookings', description: 'Let customers choose a time.' },
  { guide: 'automations', title: 'Automations', description: 'Let steps happen by themselves.' },
] as const
