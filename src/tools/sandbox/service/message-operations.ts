import { present } from '../../../lib/json.js'
import type { MessageStore } from '../inbox.js'
import { codeInText } from '../text-code.js'
import type { Message } from '../timeline.js'
import { byCall, byText, type Dispatch } from './dispatch.js'
import type { ParametersOf } from './parameters.js'
import { isRefusal, refuse } from './refusals.js'
import type { Handlers } from './service.js'

/** The operations on ordinary messages: send an SMS, place a call, look up their state. */
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

/** An uploaded audio, or a message with a voice: its operation has refused what is neither or both. */
function callContent({ message = '', voice, 'audio-code': audioCode }: ParametersOf<'sendCall'>) {
  return audioCode === undefined
    ? { ...withCode('call', message), ...present({ voice }) }
    : { text: `Audio ${audioCode}`, audioCode }
}

/** An app that makes its own codes sends them as ordinary messages: the inbox shows those codes too. */
function withCode(channel: 'sms' | 'call', text: string): Pick<Message, 'text' | 'code'> {
  return { text, ...present({ code: codeInText(channel, text) }) }
}
