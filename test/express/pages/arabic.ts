import { englishTexts, type Texts } from '../../../src/express/pages/messages/en.js'

/** A language from right to left, in which a count has six forms: what has a number or a time in it. */
export const arabic: Texts = {
  ...englishTexts,
  lang: 'ar',
  'sent.sms': 'أرسلنا رمزًا إلى {phone}. صالح لمدة {t}.',
  'sent.call': 'اتصلنا على {phone} لنقرأ لك رمزًا. صالح لمدة {t}.',
  'code.destination': 'الرقم المنتهي بـ {digits}',
  'code.triesLeft.one': 'بقيت لك محاولة واحدة.',
  'code.triesLeft.two': 'بقيت لك محاولتان.',
  'code.triesLeft.few': 'بقيت لك {n} محاولات.',
  'code.triesLeft.many': 'بقيت لك {n} محاولة.',
  'code.triesLeft.other': 'بقيت لك {n} محاولة.',
  'resend.wait': 'يمكنك طلب رمز آخر بعد {t}.',
  'start.text.named': 'سنرسل رمزًا إلى {phone}.',
  'phone.country.text': 'يمكننا إرسال الرموز إلى هذه البلدان فقط: {countries}.',
  'time.at': 'في الساعة {clock}',
  'time.atOne': 'في الساعة {clock}',
  'time.on': 'في {clock}',
}
