import { present } from '../../../lib/json.js'
import type { MessageStore } from '../inbox.js'
import { codeInText } from '../text-code.js'
import type { Message } from '../timeline.js'
import { byCall, byText, type Dispatch } from './dispatch.js'
import type { ParametersOf } from './parameters.js'
import { isRefusal, refuse } from './refusals.js'
import type { Handlers } from './service.js'

/** Creates the operations on ordinary messages: send an SMS, place a call, look up their state. */
export function messageOperations(
  dispatch: Dispatch,
  messages: MessageStore,
): Pick<Handlers, 'sendSms' | 'sendCall' | 'messageState'> {
  return {
    sendSms({ phone, sms }, requestId) {
      const sent = dispatch(phone.split(','), byText(sms), () => ({ ...withCode('sms', sms), requestId }))
      return isRefusal(sent) ? sent : { data: sent, status: 1 }
    },

    sendCall(parameters, requestId) {
      const { phone, retries = 1, 'leave-voicemail': leaveVoicemail = false } = parameters
      const manner = byCall({ attempts: Number(retries), leaveVoicemail })
      const sent = dispatch(phone.split(','), manner, () => ({ ...callContent(parameters), requestId }))
      return isRefusal(sent) ? sent : { data: sent, status: 'sent' }
    },

    messageState({ id }) {
      const group = messages.find(id)
      return group.length > 0 ? { data: group } : refuse('message', 'No message group has this id.')
    },
  }
}

/** Returns the content: an uploaded audio, or a message with a voice. The operation has refused neither and both. */
function callContent({ message = '', voice, 'audio-code': audioCode }: ParametersOf<'sendCall'>) {
  return audioCode === undefined
    ? { ...withCode('call', message), ...present({ voice }) }
    : { text: `Audio ${audioCode}`, audioCode }
}

/** Finds the code of an app that creates its own codes and sends them as ordinary messages, for the inbox. */
function withCode(channel: 'sms' | 'call', text: string): Pick<Message, 'text' | 'code'> {
  return { text, ...present({ code: codeInText(channel, text) }) }
}
