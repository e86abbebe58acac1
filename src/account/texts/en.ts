/**
 * Every text of the account pages. Placeholders: `{n}`, `{number}`, `{digits}` (its last two), `{device}`, `{when}`.
 */
export const en = {
  title: 'Two-step sign-in',

  'advice.none': 'Your account has no second step yet. Add a phone number or set up an authenticator app.',
  'advice.none.numbers': 'Your account has no second step yet. Add a phone number.',
  'advice.one':
    "You have one way to confirm that it's you. Add another, so that you can still sign in if you lose it.",
  'advice.one.codes':
    "You have one way to confirm that it's you. Add another, or make recovery codes, so that you can still sign in if you lose it.",
  'advice.few': 'You have few recovery codes left. Make new ones.',
  'risk.numbers':
    'Texts and calls can be intercepted, and a phone number can be stolen. An authenticator app is safer.',
  'risk.passkeys':
    'Texts and calls can be intercepted, and a phone number can be stolen. A passkey is safer.',

  'last-used': 'Last used {when}',
  'added-on': 'Added {when}',
  'state.on': 'On',
  'state.off': 'Off',
  'numbers.title': 'Phone numbers',
  'numbers.is-first': 'Main',
  'numbers.add': 'Add a number',

  'passkeys.title': 'Passkeys',
  'passkeys.text':
    "Your device confirms that it's you, by fingerprint, face or screen lock. No code can be stolen.",
  'passkeys.add': 'Add a passkey',
  'passkeys.create': 'Create a passkey',
  'passkeys.cancelled': 'No passkey was created. Try again.',
  'passkeys.unsupported': "This browser can't create passkeys. Try another browser or device.",
  'passkeys.rename': 'Rename a passkey',
  'passkeys.name': 'Name of the passkey',

  'offer.title': 'Sign in faster next time',
  'offer.text':
    "With a passkey, you use your fingerprint, face or screen lock instead of a code. We'll ask for one more code to set it up.",
  'offer.set-up': 'Set up a passkey',
  'offer.done': 'You can use it the next time you sign in.',

  'app.title': 'Authenticator app',
  'app.text':
    'An app such as Google Authenticator or 1Password shows a new code every 30 seconds, even where there is no signal.',
  'app.add': 'Set up an app',
  'app.replace': 'Replace',

  'recovery.title': 'Recovery codes',
  'recovery.text': "Each lets you in once if you can't get a code any other way.",
  'recovery.make': 'Make recovery codes',
  'recovery.none': 'None',
  'recovery.left': '{n} left',
  'codes.title': 'Your recovery codes',
  'codes.show': 'Show my codes',
  'codes.text': 'We show them only this once. Keep them where you would find them without your phone.',
  'codes.of': 'For {account}, made on {when}',
  'codes.copy': 'Copy',
  'codes.copied': 'Copied',
  'codes.not-copied': "Couldn't copy",
  'codes.download': 'Download',
  'codes.print': 'Print',
  'codes.kept': 'I have saved them',
  'codes.lead': 'Make recovery codes',
  'codes.lead.text':
    "They let you in if you lose your phone. It takes a minute, and you won't need another code now.",
  'codes.later': 'Not now',

  'devices.title': 'Trusted browsers',
  'devices.text': 'They sign in without a code.',
  'device.unnamed': 'Browser',
  'device.this': 'This browser',

  'elsewhere.title': 'Other devices',
  'elsewhere.text':
    'Do you think somebody else is in your account? Every other device will have to give a code before it can go on.',

  back: 'Back to two-step sign-in',

  'do.number-added': 'Add the number',
  'do.number-first': 'Make main',
  'do.number-removed': 'Remove',
  'do.passkey-added': 'Add the passkey',
  'do.passkey-renamed': 'Rename',
  'do.passkey-removed': 'Remove',
  'do.app-added': 'Set up the app',
  'do.app-removed': 'Remove',
  'do.recovery-codes-made': 'Make new codes',
  'do.device-ended': 'Stop trusting',
  'do.devices-ended': 'Stop trusting all',
  'do.signed-out-elsewhere': 'Ask for a code on all other devices',

  'change.number-added': 'Adding {number}',
  'change.number-first': 'Making the number ending in {digits} the main one',
  'change.number-removed': 'Removing the number ending in {digits}',
  'change.passkey-added': 'Adding a passkey',
  'change.passkey-renamed': 'Renaming the passkey {device}',
  'change.passkey-removed': 'Removing the passkey {device}',
  'change.app-added': 'Setting up an authenticator app',
  'change.app-removed': 'Removing the authenticator app',
  'change.recovery-codes-made': 'Making recovery codes',
  'change.device-ended': 'Ending the trust in a browser',
  'change.devices-ended': 'Ending the trust in all browsers',
  'change.signed-out-elsewhere': 'Asking for a code on all other devices',

  'details.device': 'Browser',
  'details.after': 'Afterwards',
  'after.number-added': 'Codes can go to this number too',
  'after.number-first': 'It is your main number. The way that last worked for you is still offered first',
  'after.number-removed': 'No more codes to this number. Ways left: {n}',
  'after.passkey-added': 'The new passkey lets you in without a code',
  'after.passkey-renamed': 'The passkey has the new name',
  'after.passkey-removed': 'This passkey no longer lets you in. Ways left: {n}',
  'after.app-added': 'Codes from the app let you in too',
  'after.app-replaced': 'Codes from your earlier app no longer work',
  'after.app-removed': 'Codes from the app no longer work. Ways left: {n}',
  'after.recovery-codes-made': 'Only the new recovery codes work',
  'after.device-ended': 'It is asked for a code when it signs in',
  'after.devices-ended': 'Each is asked for a code when it signs in',
  'after.signed-out-elsewhere': 'Every other device is asked for a code, trusted ones too',
  'after.only-recovery-codes':
    'Only your recovery codes let you in. When they are used up, you are locked out',
  'after.nothing': 'Your password alone lets anybody in who knows it',

  'done.number-added': 'The number ending in {digits} was added.',
  'done.number-first': 'The number ending in {digits} is now your main number.',
  'done.number-removed': 'The number ending in {digits} was removed.',
  'done.passkey-added': 'The passkey was added.',
  'done.passkey-renamed': 'The passkey {device} was renamed.',
  'done.passkey-removed': 'The passkey {device} was removed.',
  'done.app-added': 'The authenticator app was turned on.',
  'done.app-removed': 'The authenticator app was removed.',
  'done.recovery-codes-made': 'You have new recovery codes. Only these work now.',
  'done.recovery-codes-first': 'You have recovery codes now.',
  'done.device-ended': '{device} is no longer trusted.',
  'done.devices-ended': 'No browser is trusted any more.',
  'done.signed-out-elsewhere': 'All other devices are asked for a code again.',

  'problem.no_factor': 'Add a way to get codes first. Recovery codes are for when you lose it.',
  'problem.last_factor': 'This is your only way to sign in. Add another one before you remove it.',
  'problem.only_recovery_codes':
    'You would have nothing but recovery codes, which run out. Add another way before you remove this one.',
  'problem.too_many': 'You have five numbers. Remove one before you add another.',
  'problem.too_many_passkeys': 'You have ten passkeys. Remove one before you add another.',
  'problem.on_file': 'That number is in your list already.',
  'problem.taken': 'This number belongs to another account.',
  'problem.app_on_file': 'An app is set up. If you were setting up another one, begin again.',
  'problem.no_passkey':
    'The passkey was not added. Try again. If it is in your list already, you need no other.',
  'problem.passkey_gone': 'That passkey was removed, so nothing was changed.',
  'problem.stale': 'Your settings were changed meanwhile, so nothing was done. Look at them and try again.',
}

/** Every text, by its key. */
export type AccountTexts = { readonly [Key in keyof typeof en]: string }
