import { messages } from '../../../schema/index.ts'
import { db } from '../../data/db.ts'
import { columnsFor, store } from '../../data/store.ts'
import { MessageDetails } from '../../schemas/messages.ts'

/** Returns a message with its text. */
export const getMessage = store(messages, 'message', db.select(columnsFor(messages, MessageDetails)).from(messages)).get
