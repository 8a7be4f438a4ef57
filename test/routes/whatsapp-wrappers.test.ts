import { expect, test } from 'vitest'
import { SUBSCRIBED } from '../../src/features/whatsapp/provider/evolution.ts'
import { found, type Row, useCrm } from './crm.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm({ own: true })
const wa = whatsapping(crm)
type Message = Record<string, unknown>

const image = { imageMessage: { mimetype: 'image/jpeg', caption: 'The roof', fileLength: { low: 3, high: 0, unsigned: true } } }
const voice = { audioMessage: { mimetype: 'audio/ogg; codecs=opus', seconds: 4, ptt: true } }
const within = (wrapper: string, message: Message) => ({ [wrapper]: { message }, messageContextInfo: { messageSecret: 'c2VjcmV0' } })
const card = (name: string, number: string) => ({
  displayName: name,
  vcard: `BEGIN:VCARD\nVERSION:3.0\nN:;${name};;;\nFN:${name}\nitem1.TEL;waid=61400000009:${number}\nitem1.X-ABLabel:Mobile\nEND:VCARD`,
})
/** The fields of WAProto's Message that have another message in them (FutureProofMessage). */
const WRAPPERS = [
  ...['viewOnceMessage', 'viewOnceMessageV2', 'viewOnceMessageV2Extension', 'ephemeralMessage', 'documentWithCaptionMessage'],
  ...['editedMessage', 'groupMentionedMessage', 'botInvokeMessage', 'lottieStickerMessage', 'eventCoverImage', 'associatedChildMessage'],
  ...['groupStatusMentionMessage', 'statusMentionMessage', 'pollCreationMessageV4', 'statusAddYours', 'groupStatusMessage'],
  ...['limitSharingMessage', 'botTaskMessage', 'questionMessage', 'groupStatusMessageV2', 'botForwardedMessage', 'deviceSentMessage'],
]

/** Every message that Evolution API 2.3.6 can post, and how the conversation shows it. */
const SHOWN: [what: string, message: Message, type: string, text: string][] = [
  ['text', { conversation: 'Hello' }, 'text', 'Hello'],
  [
    'text with a link',
    { extendedTextMessage: { text: 'See https://example.com', matchedText: 'https://example.com' } },
    'text',
    'See https://example.com',
  ],
  ['picture', image, 'image', 'The roof'],
  ['round video', { ptvMessage: { mimetype: 'video/mp4', seconds: 3 } }, 'video', ''],
  ['voice message', voice, 'audio', ''],
  ['view-once voice message', within('viewOnceMessageV2Extension', voice), 'audio', ''],
  ['picture of an album that disappears', within('ephemeralMessage', within('associatedChildMessage', image)), 'image', 'The roof'],
  ...WRAPPERS.map((name): [string, Message, string, string] => [name, within(name, { conversation: `In ${name}` }), 'text', `In ${name}`]),
  [
    'document',
    within('documentWithCaptionMessage', { documentMessage: { mimetype: 'application/pdf', title: 'Plan.pdf', caption: 'Plan' } }),
    'document',
    'Plan',
  ],
  [
    'place',
    { locationMessage: { name: 'Office', address: '1 George St', degreesLatitude: -33.8, degreesLongitude: 151.2 } },
    'location',
    'Office 1 George St -33.8,151.2',
  ],
  [
    'live location',
    { liveLocationMessage: { degreesLatitude: -33.8, degreesLongitude: 151.2, caption: 'On my way' } },
    'location',
    'On my way -33.8,151.2',
  ],
  ['contact', { contactMessage: card('Ben', '+61 400 000 009') }, 'contact', 'Ben +61 400 000 009'],
  ['contact without a name', { contactMessage: { vcard: card('Ben', '+61 400 000 009').vcard } }, 'contact', '+61 400 000 009'],
  [
    'several contacts',
    { contactsArrayMessage: { displayName: '2 contacts', contacts: [card('Ben', '+61 400 000 009'), card('Cid', '0400000010')] } },
    ...(['contact', 'Ben +61 400 000 009\nCid 0400000010'] as const),
  ],
  [
    'answer to buttons',
    { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes, Tuesday', type: 1 } },
    'text',
    'Yes, Tuesday',
  ],
  [
    'answer to a template',
    { templateButtonReplyMessage: { selectedId: 'q1', selectedDisplayText: 'Call me', selectedIndex: 0 } },
    'text',
    'Call me',
  ],
  [
    'answer to a list',
    { listResponseMessage: { title: 'Kitchen', listType: 1, singleSelectReply: { selectedRowId: 'row-1' } } },
    'text',
    'Kitchen',
  ],
  [
    'answer to a flow',
    {
      interactiveResponseMessage: {
        body: { text: 'Booked for Friday', format: 0 },
        nativeFlowResponseMessage: { name: 'flow', paramsJson: '{}' },
      },
    },
    ...(['text', 'Booked for Friday'] as const),
  ],
  [
    'buttons',
    { buttonsMessage: { contentText: 'Does Tuesday suit?', footerText: 'Harbour', buttons: [] } },
    'text',
    'Does Tuesday suit?\nHarbour',
  ],
  ['list', { listMessage: { title: 'Rooms', description: 'Choose one', buttonText: 'Open', sections: [] } }, 'text', 'Rooms\nChoose one'],
  [
    'interactive message',
    { interactiveMessage: { header: { title: 'Offer' }, body: { text: 'Ten percent' }, footer: { text: 'Today' } } },
    'text',
    'Offer\nTen percent\nToday',
  ],
  [
    'template',
    { templateMessage: { hydratedTemplate: { hydratedContentText: 'Your code is 12', templateId: '1' } } },
    'text',
    'Your code is 12',
  ],
  [
    'poll',
    { pollCreationMessageV3: { name: 'When?', options: [{ optionName: 'Tuesday' }, { optionName: 'Friday' }] } },
    'other',
    'When?\n- Tuesday\n- Friday',
  ],
  [
    'event',
    { eventMessage: { name: 'Visit', description: 'Bring the plan', location: { name: 'Site' }, startTime: 1 } },
    'other',
    'Visit\nBring the plan\nSite',
  ],
  [
    'invitation to a group',
    { groupInviteMessage: { groupJid: '1@g.us', groupName: 'Site', caption: 'Join us', inviteCode: 'x' } },
    'other',
    'Site\nJoin us',
  ],
  ['product', { productMessage: { product: { title: 'Tap', description: 'Brass' }, businessOwnerJid: 'x' } }, 'other', 'Tap\nBrass'],
  ['order', { orderMessage: { orderId: '1', orderTitle: 'Tap', message: 'Two please', itemCount: 2 } }, 'other', 'Tap\nTwo please'],
  [
    'request for a payment',
    { requestPaymentMessage: { noteMessage: { extendedTextMessage: { text: 'For the tap' } }, amount1000: 1 } },
    'other',
    'For the tap',
  ],
  [
    'a kind that WhatsApp adds later',
    { songMessage: { artist: { displayName: 'Ana' }, caption: 'Listen', id: 'x1' } },
    'other',
    'Ana\nListen',
  ],
]

async function conversation(): Promise<Row[]> {
  const [one] = found(await crm.ws.get('/whatsapp/conversations')) as Row[]
  return found(await crm.ws.get(`/whatsapp/conversations/${one!.id}/messages?limit=100`)) as Row[]
}

test('nothing that a person sends by WhatsApp arrives as an empty message, whatever wraps it', async () => {
  await wa.paired()
  for (const [n, [, message]] of SHOWN.entries())
    wa.world().receive(wa.connection(), wa.messageOf({ id: `ID${n}`, message, at: 1_790_000_000 + n }))
  await wa.flush()
  const messages = await conversation()
  expect(messages.map(({ type, body_text }, n) => [SHOWN[n]?.[0], type, body_text])).toEqual(
    SHOWN.map(([what, , type, text]) => [what, type, text]),
  )
  expect(messages.filter(({ type, body_text, media }) => type === 'other' && body_text === '' && media === null)).toEqual([])
})

test('what only programs exchange is no message: the frame of an album, keys, calls, a pinned message', async () => {
  await wa.paired()
  await wa.receive({ text: 'First' })
  for (const message of [
    { albumMessage: { expectedImageCount: 2 } },
    { senderKeyDistributionMessage: { groupId: '1@g.us' }, messageContextInfo: {} },
    { protocolMessage: { type: 'EPHEMERAL_SETTING', ephemeralExpiration: 86_400 } },
    { pinInChatMessage: { key: { id: 'x' }, type: 1 } },
  ])
    await wa.receive({ message })
  expect((await conversation()).map(({ body_text }) => body_text)).toEqual(['First'])
})

test('a file within an album is fetched', async () => {
  await wa.paired()
  wa.world().files.set('ALBUM1', Buffer.from('abc').toString('base64'))
  await wa.receive({ id: 'ALBUM1', message: within('associatedChildMessage', image) })
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(await conversation()).toMatchObject([{ type: 'image', media_type: 'image/jpeg', media: [{ status: 'stored', size: 3 }] }])
})

test('an edited message has its new text in any order of the reports, its conversation too, and one taken back is deleted', async () => {
  await wa.paired()
  const contact = await crm.contact({ phone: '+61400000002' })
  const timeline = async () => found(await crm.ws.get(`/contacts/${contact.id}/activities`)).map(({ body }) => body)
  const message = await wa.receive({ text: 'At nine', id: 'EDIT1' })
  const at = Date.now()
  wa.world().edit(wa.connection(), message, { conversation: 'At ten' }, at + 2000)
  wa.world().edit(wa.connection(), message, { extendedTextMessage: { text: 'At half past nine' } }, at + 1000)
  await wa.flush({ twice: true })
  const [shown] = await conversation()
  expect(shown).toMatchObject({ body_text: 'At ten', edited_at: new Date(at + 2000).toISOString() })
  expect(found(await crm.ws.get('/whatsapp/conversations'))).toMatchObject([{ snippet: 'At ten', message_count: 1 }])
  expect(await timeline()).toEqual(['At ten'])
  wa.world().receive(wa.connection(), wa.messageOf({ id: 'EDIT2', text: 'Old text' }))
  wa.world().edit(wa.connection(), wa.world().connections.get(wa.connection().name)!.messages.at(-1)!, { conversation: 'New text' })
  await wa.flush({ reversed: true })
  expect((await conversation()).map(({ body_text }) => body_text)).toContain('New text')
  expect(await conversation()).toHaveLength(2)
  // Nobody edits the message of somebody else.
  wa.world().edit(wa.connection(), { ...message, key: { ...message.key, fromMe: true } }, { conversation: 'Forged' }, at + 9000)
  await wa.flush()
  expect((await conversation()).map(({ body_text }) => body_text)).not.toContain('Forged')
  await wa.post(
    { event: 'messages.edited', data: { key: { id: 'EDIT1', remoteJid: message.key.remoteJid, fromMe: false }, type: 'REVOKE' } },
    new URL(wa.connection().webhook!.url).pathname,
  )
  await crm.app.drain()
  expect((await conversation()).find(({ is_deleted }) => is_deleted)).toMatchObject({ body_text: '' })
})

test('a subscription of an earlier release, or one that the provider has lost, is made again', async () => {
  await wa.paired()
  const one = wa.connection()
  expect(one.webhook?.events).toEqual(SUBSCRIBED)
  one.webhook = { url: one.webhook!.url, events: SUBSCRIBED.filter((event) => event !== 'MESSAGES_EDITED') }
  await wa.look()
  expect(one.webhook?.events).toContain('MESSAGES_EDITED')
  one.webhook = null
  await wa.look()
  expect(one.webhook).not.toBeNull()
})
