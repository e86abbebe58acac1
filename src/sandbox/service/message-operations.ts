import { present } from '../../lib/present.js'
import type { MessageStore } from '../inbox.js'
import { codeInText } from '../text-code.js'
import type { Message } from '../timeline.js'
import type { Dispatch } from './dispatch.js'
import { callPrice, textPrice } from './dispatch.js'
import type { ParametersOf } from './parameters.js'
import { isRefusal, refuse } from './refusals.js'
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
      return { body: responder.callsPlaced(booked.send({ ...callContent(parameters), requestId })) }
    },

    messageState({ id }) {
      const [first, ...others] = messages.find(id)
      if (first === undefined) return refuse('message', 'No message group has this id.')
      return { body: responder.messageStates([first, ...others]) }
    },
  }
}

/** An uploaded audio, or a message with a voice: its operation has refused what is neither or both. */
function callContent({ message = '', voice, 'audio-code': audioCode }: ParametersOf<'sendCall'>) {
  return audioCode === undefined
    ? { ...withCode('call', message), ...present({ voice }) }
    : { text: `Audio ${audioCode}`, audioCode }
}

/** An app that makes its own codes sends them as ordinary messages: the inbox shows those codes too. */
function withCode(channel: 'sms' | 'call', text: string): Pick<Message, 'text' | 'code'> {
  const code = codeInText(channel, text)
  return { text, ...(code !== undefined && { code }) }
}
