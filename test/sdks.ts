import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installSdks, SDKS } from './clients/install.ts'

installSdks()
/** Loads an official package of a provider. */
export const loadSdk = createRequire(join(SDKS, 'package.json'))

/** The official packages of providers, which read what the emulators answer. Their types are not installed with the project. */
export const { default: Anthropic } = loadSdk('@anthropic-ai/sdk')
export const { default: OpenAI } = loadSdk('openai')
export const { default: Retell } = loadSdk('retell-sdk')
export const { DeepgramClient } = loadSdk('@deepgram/sdk')
