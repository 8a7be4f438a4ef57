import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installSdks, SDKS } from './clients/install.ts'

installSdks()
const load = createRequire(join(SDKS, 'package.json'))

/** The official packages of providers, which read what the emulators answer. Their types are not installed with the project. */
export const { default: Anthropic } = load('@anthropic-ai/sdk')
export const { default: OpenAI } = load('openai')
export const { default: Retell } = load('retell-sdk')
export const { DeepgramClient } = load('@deepgram/sdk')
