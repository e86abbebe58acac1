import type { MessageStore } from '../inbox.js'
import { codeInText } from '../text-code.js'
import type { Message } from '../timeline.js'
import type { Dispatch } from './dispatch.js'
import { callPrice, textPrice } from './dispatch.js'
import type { ParametersOf } from './parameters.js'
import { isRefusal, type Refusal, refuse } from './refusals.js'
import type { Responder } from './responder.js'
import type { Handlers } from './service.js'

/** The operations on ordinary messages: send an SMS, place a call, look up their state. */
export function messageOperations(
  dispatch: Dispatch,
  messages: MessageStore,
  responder: Responder,
): Pick<Handlers, 'sendSms' | 'sendCall' | 'messageState'> {
  return {
    sendSms({ phone, sms }, requestId) {
      const booked = dispatch.book(phone.split(','), { channel: 'sms', price: textPrice(sms) })
      if (isRefusal(booked)) return booked
      return { body: responder.textsSent(booked.send({ ...withCode('sms', sms), requestId })) }
    },

    sendCall(parameters, requestId) {
      const content = callContent(parameters)
      if (isRefusal(content)) return content
      const options = {
        attempts: Number(parameters.retries ?? 1),
        leaveVoicemail: parameters['leave-voicemail'] ?? false,
      }
      const booked = dispatch.book(parameters.phone.split(','), {
        channel: 'call',
        price: callPrice,
        options,
      })
      if (isRefusal(booked)) return booked
      return { body: responder.callsPlaced(booked.send({ ...content, requestId })) }
    },

    messageState({ id }) {
      const [first, ...others] = messages.find(id)
      if (first === undefined) return refuse('message', 'No message group has this id.')
      return { body: responder.messageStates([first, ...others]) }
    },
  }
}

/** An uploaded audio, or a message with a voice: one of the two, never both. */
function callContent({
  message,
  voice,
  'audio-code': audioCode,
}: ParametersOf<'sendCall'>): Pick<Message, 'text' | 'code' | 'voice' | 'audioCode'> | Refusal {
  if (audioCode !== undefined) {
    if (message !== undefined || voice !== undefined) {
      return refuse('parameters', 'audio-code must not be sent together with message and voice.')
    }
    return { text: `Audio ${audioCode}`, audioCode }
  }
  if (message === undefined) return refuse('parameters', 'message is required without audio-code.')
  if (voice === undefined) return refuse('parameters', 'voice is required without audio-code.')
  return { ...withCode('call', message), voice }
}

/** An app that makes its own codes sends them as ordinary messages: the inbox shows those codes too. */
function withCode(channel: 'sms' | 'call', text: string): Pick<Message, 'text' | 'code'> {
  const code = codeInText(channel, text)
  return { text, ...(code !== undefined && { code }) }
}
