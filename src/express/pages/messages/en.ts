import type { ProblemCode } from '../../../errors.js'

/**
 * Every text of the pages and the dialog. Placeholders: `{phone}`, `{digits}`, `{t}` (a duration), `{time}` (a time),
 * `{clock}` (the time of day in it), `{n}`, `{countries}`, `{method}`. An empty text omits its sentence.
 */
export const en = {
  lang: 'en',
  error: 'Error',

  'code.title': 'Check your phone',
  'code.title.call': 'Answer our call',
  'code.title.app': 'Open your authenticator app',
  'confirm.title': 'Now confirm with the phone ending in {digits}',
  'confirm.title.app': 'Now confirm with your authenticator app',
  'sent.sms': 'We sent a code to {phone}. It works for {t}.',
  'sent.call': 'We called {phone} to read you a code. It works for {t}.',
  'sent.app': 'Enter the code that your authenticator app shows.',
  'sent.by': 'We sent a code to {phone} by {method}. It works for {t}.',
  'code.unconfirmed': "A code is on its way to {phone}. If it isn't there in a minute, ask for another.",
  'code.unconfirmed.call':
    "We are calling {phone} to read you a code. If the phone doesn't ring in a minute, ask for another call.",
  'code.destination': 'the number ending in {digits}',
  'code.label': 'Security code',
  'code.submit': 'Continue',
  'code.trust': "Don't ask for a code at sign-in on this device for {t}",
  'code.empty.title': 'Enter the code from the message',
  'code.empty.text': '',
  'code.empty.call.title': 'Enter the code we gave you',
  'code.empty.call.text': '',
  'code.empty.app.title': 'Enter the code from the app',
  'code.empty.app.text': '',
  'code.unreadable.title': 'Check the code',
  'code.unreadable.text': 'Enter the whole code from the message.',
  'code.length.digits': 'It has {n} digits.',
  'code.length.letters': 'It has {n} letters and digits.',
  'code.unreadable.call.title': 'Check the code',
  'code.unreadable.call.text': 'Enter the whole code we gave you.',
  'code.unreadable.app.title': 'Check the code',
  'code.unreadable.app.text': 'Enter the six digits that the app shows.',
  'code.superseded.title': 'A newer code was sent',
  'code.superseded.text': 'Enter the newest one.',
  'code.wrong.app.title': 'That code is not right',
  'code.wrong.app.text':
    'Wait until the app shows the next code and enter that one, not a code that we sent you. Check that your phone sets its time by itself.',
  'code.wrong.sent.title': 'That code is not right',
  'code.wrong.sent.text': 'Use the code that we sent you, not one from your app.',
  'code.triesLeft.one': 'You have {n} try left.',
  'code.triesLeft.other': 'You have {n} tries left.',
  'code.expired': 'This code no longer works. Ask for a new one.',

  'resend.title': "Didn't get the code?",
  'resend.title.app': "Can't use the app?",
  'resend.sms': 'Send a new code',
  'resend.call': 'Call me again',
  'resend.by': 'Send a new code by {method}',
  'resend.another': 'Get a code another way',
  'resend.wait': 'You can ask for another in {t}.',
  'resend.ready': 'You can ask for a new code now.',
  'instead.sms': 'Send me a text message instead',
  'instead.call': 'Call me instead',
  'instead.by': 'Send it by {method} instead',

  'start.title': "Confirm that it's you",
  'start.text': 'We will send a code to your phone.',
  'start.text.named': 'We will send a code to {phone}.',
  'start.tooSoon.title': "The code we sent before can't be used here",
  'start.tooSoon.text': 'You can ask for a new one in {t}.',
  'start.choose': 'Choose how to get a code.',
  'choose.sms': 'Text',
  'choose.call': 'Call',
  'choose.app': 'Use the app',
  'choose.by': '{method}',
  'choose.app.name': 'Authenticator app',
  'start.wait': 'You can ask for a code in {t}.',
  'start.formAgain': 'You will need to submit the form again after this.',
  'start.formKept': "We've saved your form. You can submit it after this step.",
  'start.sms': 'Send a code',
  'start.call': 'Call me with a code',
  'start.app': 'Use the app',
  'start.by': 'Send a code by {method}',

  'resume.title': 'Check and send',
  'resume.text': 'Your code is correct. Nothing has been submitted yet.',
  'resume.submit': 'Send',
  'resume.plain.title': 'One more step',
  'resume.plain.text': 'Your code is correct. Continue to finish.',
  'resume.plain.submit': 'Continue',
  'resume.sent.title': 'This was done',
  'resume.sent.text': "You've already sent this form. There is nothing more to do.",
  'resume.gone.title': 'Form not found',
  'resume.gone.text':
    'This form is no longer saved. Check whether it went through before you fill it in again.',

  'done.title': "You're already confirmed",
  'done.text': 'There is nothing more to do here.',
  'done.continue': 'Continue',

  'busy.checking': 'Checking…',
  'busy.sending': 'Sending…',

  'cancel.submit': 'Cancel',
  'dialog.close': 'Close',
  'dialog.unreachable': "We couldn't connect. Check your connection and try again.",

  'phone.title': 'Your mobile number',
  'phone.text': 'We will send a code to confirm that it is yours.',
  'phone.country': 'Country',
  'phone.label': 'Mobile number',
  'phone.risk':
    'Texts and calls can be intercepted, and a phone number can be stolen. An authenticator app is safer: you can set one up later.',
  'phone.change': 'Use another number',
  'phone.unproven.title': "Your number isn't confirmed",
  'phone.unproven.text':
    "You haven't confirmed it yet, that was too long ago, or it was used already. Nothing was submitted.",
  'phone.prove': 'Confirm your number',
  'phone.lost': "I don't have this phone",
  'phone.empty.title': 'Enter your mobile number',
  'phone.empty.text': '',
  'phone.unreadable.title': 'Enter a mobile number we can reach',
  'phone.unreadable.text': 'Enter it the way you would dial it, or with + and the country code.',
  'phone.length.title': 'Check the number',
  'phone.length.text': 'It has too few or too many digits.',
  'phone.notAssigned.title': 'Check the number',
  'phone.notAssigned.text': 'No mobile phone has this number.',
  'phone.otherCountry.title': 'Check the country',
  'phone.otherCountry.text':
    'The number fits another country better than the one you chose. Make sure that the right one is selected.',
  'phone.landline.title': 'Enter a mobile number',
  'phone.landline.text': "That doesn't look like a mobile number.",
  'phone.country.title': "We can't send codes to that country",
  'phone.country.text': 'We can send codes to these countries only: {countries}.',

  'recovery.title': 'Use a recovery code',
  'recovery.text': 'Enter one of the recovery codes that you saved. Each code works once.',
  'recovery.label': 'Recovery code',
  'recovery.help': 'No recovery code?',
  'recovery.byPhone': 'Use your phone instead',
  'recovery.lost': "I don't have a recovery code",
  'recovery.empty.title': 'Enter a recovery code',
  'recovery.empty.text': '',
  'recovery.unreadable.title': 'Check the recovery code',
  'recovery.unreadable.text': 'It has 24 letters and digits.',
  'recovery.wrong.title': 'That recovery code is not right',
  'recovery.wrong.text': 'You may have used it already.',
  'recovery.exhausted.title': 'You entered too many wrong recovery codes',
  'recovery.exhausted.text': 'You can try again {time}.',

  'pair.title': 'Set up your authenticator app',
  'pair.text': 'Scan this picture with the app, then enter the code that it shows.',
  'pair.picture': 'QR code',
  'pair.open': 'Open the app on this device',
  'pair.label': 'Code from the app',
  'pair.submit': 'Turn on',
  'pair.key': "If you can't scan it, enter this key in the app:",

  'link.signIn': 'Sign in',
  'link.addPhone': 'Add a phone number',
  'link.support': 'Contact support',
  'link.home': 'Go to the home page',
  'link.otherMethod': 'Confirm in another way',
  'link.back': 'Go back',

  'problem.again': 'Try again',
  'problem.soon': 'a few minutes',
  'time.at': 'at {clock}',
  'time.atOne': 'at {clock}',
  'time.on': 'on {clock}',
  'problem.soonAt': 'in a few minutes',
  'problem.invalid_request.title': "That didn't work",
  'problem.invalid_request.text': 'Go back and try again.',
  'problem.not_identified.title': 'Sign in to continue',
  'problem.not_identified.text': 'You are not signed in.',
  'problem.signedOut.title': 'Sign in to continue',
  'problem.signedOut.text': 'You were signed out. Sign in to get a new code.',
  'problem.second_factor_required.title': "Confirm that it's you",
  'problem.second_factor_required.text': '',
  'problem.destination_not_allowed.title': "We can't send codes to this number",
  'problem.destination_not_allowed.text': 'Use a mobile number in a country we serve.',
  'problem.send_refused.title': "We can't send you a code",
  'problem.send_refused.text': 'Contact support if this keeps happening.',
  'problem.cross_site.title': 'For your security we stopped this request',
  'problem.cross_site.text': 'Go back and try again.',
  'problem.account_disabled.title': 'Codes are turned off',
  'problem.account_disabled.text':
    'Wrong codes were entered too many times. Contact support to turn them on again.',
  'problem.method_not_allowed.title': "That didn't work",
  'problem.method_not_allowed.text': 'Go back and use the buttons on the page.',
  'problem.challenge_superseded.title': 'Another code was asked for in the meantime',
  'problem.challenge_superseded.text':
    'The code for this page can no longer be used. Ask for a new one to go on.',
  'problem.verification_in_progress.title': 'We are still checking your last code',
  'problem.verification_in_progress.text': 'Try again in {t}.',
  'problem.no_phone.title': 'Your account has no phone number yet',
  'problem.no_phone.text': 'Add one to receive codes.',
  'problem.challenge_gone.title': 'That code no longer works',
  'problem.challenge_gone.text': 'Ask for a new one.',
  'problem.payload_too_large.title': 'That was too long',
  'problem.payload_too_large.text': 'Enter only the code.',
  'problem.unsupported_media_type.title': "That didn't work",
  'problem.unsupported_media_type.text': 'Go back and use the buttons on the page.',
  'problem.code_not_accepted.title': 'That code is not right',
  'problem.code_not_accepted.text': '',
  'problem.attempts_exhausted.title': 'Too many wrong codes were entered',
  'problem.attempts_exhausted.text': 'You can ask for a new one {time}.',
  'problem.account_locked.title': 'Too many wrong codes were entered',
  'problem.account_locked.text': 'You can ask for a new one {time}.',
  'code.notYou': "If it wasn't you, change your password.",
  'problem.resend_too_soon.title': 'A code was sent a moment ago',
  'problem.resend_too_soon.text': '',
  'problem.send_limit.title': "You've asked for too many codes",
  'problem.send_limit.text': 'You can ask for another {time}.',
  'problem.address.title': 'Too many requests from your network',
  'problem.address.text': 'You can try again {time}.',
  'problem.delivery_failed.title': "We couldn't send a code to this number",
  'problem.delivery_failed.text': 'Use another way, or contact support.',
  'problem.delivery_failed.call.title': "We couldn't send a code to this number",
  'problem.delivery_failed.call.text': 'Try a call, use another way, or contact support.',
  'problem.verification_unavailable.title': 'Sorry, we could not check the code',
  'problem.verification_unavailable.text': 'Enter it again, or ask for a new one.',
  'problem.provider_unavailable.title': "Sorry, we can't send codes right now",
  'problem.provider_unavailable.text': 'Try again in {t}.',
  'problem.store_unavailable.title': "Sorry, we can't confirm that it's you right now",
  'problem.store_unavailable.text': 'Try again in {t}.',
  'problem.capacity.title': "Sorry, we're very busy",
  'problem.capacity.text': 'Try again in {t}.',
  'problem.session_unavailable.title': "We can't confirm that it's you without cookies",
  'problem.session_unavailable.text': 'Allow cookies for this site and try again.',
  'problem.sending_paused.title': "Sorry, we can't send codes right now",
  'problem.sending_paused.text': 'Try again in {t}.',
} satisfies Record<`problem.${ProblemCode}.${'title' | 'text'}`, string> & Record<string, string>

/** Plural forms of other languages besides those of English, as `Intl.PluralRules` names them. */
export const furtherPlurals = ['zero', 'two', 'few', 'many'] as const

/** The texts of one language. A missing text does not compile. */
export type Texts = Readonly<Record<keyof typeof en, string>> & {
  readonly [Form in (typeof furtherPlurals)[number] as `code.triesLeft.${Form}`]?: string
}

/**
 * The built-in English texts, as a start for a new language. Your own language must be complete: a text spread from
 * here stays English until you translate it, including texts of later versions.
 *
 * @example
 * pages: { messages: { fr: { ...englishTexts, lang: 'fr', 'code.title': 'Consultez votre téléphone' } } }
 */
export const englishTexts: Texts = Object.freeze(en)

/** Your texts per locale. Each key replaces one text. A language that is not built in needs all of them. */
export type Messages = Readonly<Record<string, Partial<Texts> & MethodNames>>

/** Names of the provider's methods, such as `method.whatsapp`. Default: the method's label. */
export type MethodNames = { readonly [key: `method.${string}`]: string }
