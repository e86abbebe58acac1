import type { Texts } from './en.js'

/** Where Spain says it in words of its own. */
export const esEs: Partial<Texts> = {
  'code.unreadable.title': 'Comprueba el código',

  'phone.title': 'Tu número de móvil',
  'phone.label': 'Número de móvil',
  'phone.empty.title': 'Escribe tu número de móvil',
  'phone.unreadable.title': 'Escribe un número de móvil válido',
  'phone.length.title': 'Comprueba el número',
  'phone.landline.title': 'Escribe un número de móvil',
  'phone.landline.text': 'Ese no parece ser un número de móvil.',

  'recovery.unreadable.title': 'Comprueba el código de recuperación',

  'link.addPhone': 'Añadir un número de teléfono',
  'link.support': 'Contactar con soporte',

  'resume.gone.text':
    'Este formulario ya no está guardado. Comprueba si se envió antes de rellenarlo otra vez.',

  'problem.invalid_request.text': 'Vuelve atrás e inténtalo de nuevo.',
  'problem.destination_not_allowed.text': 'Usa un móvil de un país en el que prestamos servicio.',
  'problem.send_refused.text': 'Contacta con soporte si sigue ocurriendo.',
  'problem.cross_site.text': 'Vuelve atrás e inténtalo de nuevo.',
  'problem.phone_disabled.text':
    'Se escribieron códigos incorrectos demasiadas veces. Contacta con soporte para volver a activarlos.',
  'problem.method_not_allowed.text': 'Vuelve a la página anterior y usa sus botones.',
  'problem.no_phone.text': 'Añade uno para recibir códigos.',
  'problem.unsupported_media_type.text': 'Vuelve a la página anterior y usa sus botones.',
}
