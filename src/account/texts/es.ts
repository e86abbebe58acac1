import type { AccountTexts } from './en.js'

export const es: AccountTexts = {
  title: 'Inicio de sesión en dos pasos',

  'advice.none':
    'Tu cuenta aún no tiene un segundo paso. Agrega un número o configura una app de autenticación.',
  'advice.none.numbers': 'Tu cuenta aún no tiene un segundo paso. Agrega un número.',
  'advice.one':
    'Tienes una sola forma de confirmar que eres tú. Agrega otra para poder entrar si la pierdes.',
  'advice.one.codes':
    'Tienes una sola forma de confirmar que eres tú. Agrega otra o crea códigos de recuperación para poder entrar si la pierdes.',
  'advice.few': 'Te quedan pocos códigos de recuperación. Crea otros.',
  'risk.numbers':
    'Los mensajes y las llamadas se pueden interceptar, y un número se puede robar. Una app de autenticación es más segura.',
  'risk.passkeys':
    'Los mensajes y las llamadas se pueden interceptar, y un número se puede robar. Una llave de acceso es más segura.',

  'last-used': 'Último uso: {when}',
  'added-on': 'Agregada el {when}',
  'state.on': 'En uso',
  'state.off': 'Sin usar',
  'numbers.title': 'Números de teléfono',
  'numbers.is-first': 'Principal',
  'numbers.add': 'Agregar un número',

  'passkeys.title': 'Llaves de acceso',
  'passkeys.text':
    'Tu dispositivo confirma que eres tú con tu huella, tu cara o el bloqueo de pantalla. No hay código que robar.',
  'passkeys.add': 'Agregar una llave de acceso',
  'passkeys.create': 'Crear una llave de acceso',
  'passkeys.cancelled': 'No se creó ninguna llave de acceso. Inténtalo de nuevo.',
  'passkeys.unsupported':
    'Este navegador no puede crear llaves de acceso. Prueba con otro navegador o dispositivo.',
  'passkeys.rename': 'Cambiar el nombre de una llave de acceso',
  'passkeys.name': 'Nombre de la llave de acceso',

  'offer.title': 'La próxima vez, entra más rápido',
  'offer.text':
    'Con una llave de acceso usas tu huella, tu cara o el bloqueo de pantalla en lugar de un código. Para configurarla te pediremos un código más.',
  'offer.set-up': 'Configurar una llave de acceso',
  'offer.done': 'Podrás usarla la próxima vez que entres.',

  'app.title': 'App de autenticación',
  'app.text':
    'Una app como Google Authenticator o 1Password muestra un código nuevo cada 30 segundos, incluso sin señal.',
  'app.add': 'Configurar una app',
  'app.replace': 'Cambiar',

  'recovery.title': 'Códigos de recuperación',
  'recovery.text': 'Cada uno te deja entrar una vez si no puedes recibir un código de otra forma.',
  'recovery.make': 'Crear códigos de recuperación',
  'recovery.none': 'Ninguno',
  'recovery.left': 'Disponibles: {n}',
  'codes.title': 'Tus códigos de recuperación',
  'codes.show': 'Mostrar mis códigos',
  'codes.text': 'Los mostramos solo esta vez. Guárdalos donde los encuentres sin tu teléfono.',
  'codes.of': 'Para {account}, creados el {when}',
  'codes.copy': 'Copiar',
  'codes.copied': 'Copiados',
  'codes.not-copied': 'No se pudieron copiar',
  'codes.download': 'Descargar',
  'codes.print': 'Imprimir',
  'codes.kept': 'Ya los guardé',
  'codes.lead': 'Crea códigos de recuperación',
  'codes.lead.text':
    'Te dejan entrar si pierdes el teléfono. Toma un minuto y ahora no necesitas otro código.',
  'codes.later': 'Ahora no',

  'devices.title': 'Navegadores de confianza',
  'devices.text': 'Inician sesión sin código.',
  'device.unnamed': 'Navegador',
  'device.this': 'Este navegador',

  'elsewhere.title': 'Otros dispositivos',
  'elsewhere.text':
    '¿Crees que alguien más entró a tu cuenta? Todos los demás dispositivos tendrán que dar un código para continuar.',

  back: 'Volver al inicio de sesión en dos pasos',

  'do.number-added': 'Agregar el número',
  'do.number-first': 'Usar como principal',
  'do.number-removed': 'Quitar',
  'do.passkey-added': 'Agregar la llave de acceso',
  'do.passkey-renamed': 'Cambiar el nombre',
  'do.passkey-removed': 'Quitar',
  'do.app-added': 'Configurar la app',
  'do.app-removed': 'Quitar',
  'do.recovery-codes-made': 'Crear códigos nuevos',
  'do.device-ended': 'Quitar la confianza',
  'do.devices-ended': 'Quitar la confianza a todos',
  'do.signed-out-elsewhere': 'Pedir un código en los demás dispositivos',

  'change.number-added': 'Agregar {number}',
  'change.number-first': 'Usar como principal el número que termina en {digits}',
  'change.number-removed': 'Quitar el número que termina en {digits}',
  'change.passkey-added': 'Agregar una llave de acceso',
  'change.passkey-renamed': 'Cambiar el nombre de la llave de acceso {device}',
  'change.passkey-removed': 'Quitar la llave de acceso {device}',
  'change.app-added': 'Configurar una app de autenticación',
  'change.app-removed': 'Quitar la app de autenticación',
  'change.recovery-codes-made': 'Crear códigos de recuperación',
  'change.device-ended': 'Quitar la confianza a un navegador',
  'change.devices-ended': 'Quitar la confianza a todos los navegadores',
  'change.signed-out-elsewhere': 'Pedir un código en los demás dispositivos',

  'details.device': 'Navegador',
  'details.after': 'Después',
  'after.number-added': 'Los códigos también pueden llegar a este número',
  'after.number-first': 'Es tu número principal. Primero se sigue ofreciendo la última forma que te funcionó',
  'after.number-removed': 'Ya no llegan códigos a este número. Formas que te quedan: {n}',
  'after.passkey-added': 'Podrás entrar con la nueva llave de acceso, sin código',
  'after.passkey-renamed': 'La llave de acceso tendrá el nombre nuevo',
  'after.passkey-removed': 'Ya no podrás entrar con esta llave de acceso. Formas que te quedan: {n}',
  'after.app-added': 'También puedes entrar con los códigos de la app',
  'after.app-replaced': 'Los códigos de tu app anterior ya no sirven',
  'after.app-removed': 'Los códigos de la app ya no sirven. Formas que te quedan: {n}',
  'after.recovery-codes-made': 'Solo sirven los códigos de recuperación nuevos',
  'after.device-ended': 'Se le pide un código cuando inicia sesión',
  'after.devices-ended': 'A cada uno se le pide un código cuando inicia sesión',
  'after.signed-out-elsewhere':
    'Se pide un código en todos los demás dispositivos, también en los de confianza',
  'after.only-recovery-codes':
    'Solo podrás entrar con tus códigos de recuperación. Cuando se acaben, perderás el acceso',
  'after.nothing': 'Cualquiera que sepa tu contraseña podrá entrar',

  'done.number-added': 'Se agregó el número que termina en {digits}.',
  'done.number-first': 'El número que termina en {digits} es ahora tu número principal.',
  'done.number-removed': 'Se quitó el número que termina en {digits}.',
  'done.passkey-added': 'Se agregó la llave de acceso.',
  'done.passkey-renamed': 'Se cambió el nombre de la llave de acceso {device}.',
  'done.passkey-removed': 'Se quitó la llave de acceso {device}.',
  'done.app-added': 'La app de autenticación quedó activada.',
  'done.app-removed': 'Se quitó la app de autenticación.',
  'done.recovery-codes-made': 'Tienes códigos de recuperación nuevos. Ahora solo sirven estos.',
  'done.recovery-codes-first': 'Ya tienes códigos de recuperación.',
  'done.device-ended': '{device} ya no es de confianza.',
  'done.devices-ended': 'Ya no hay navegadores de confianza.',
  'done.signed-out-elsewhere': 'Se volverá a pedir un código en todos los demás dispositivos.',

  'problem.no_factor':
    'Agrega primero una forma de recibir códigos. Los de recuperación son por si la pierdes.',
  'problem.last_factor': 'Es tu única forma de entrar. Agrega otra antes de quitarla.',
  'problem.only_recovery_codes':
    'Solo te quedarían códigos de recuperación, y se acaban. Agrega otra forma antes de quitar esta.',
  'problem.too_many': 'Tienes cinco números. Quita uno antes de agregar otro.',
  'problem.too_many_passkeys': 'Tienes diez llaves de acceso. Quita una antes de agregar otra.',
  'problem.on_file': 'Ese número ya está en tu lista.',
  'problem.taken': 'Este número pertenece a otra cuenta.',
  'problem.app_on_file': 'Ya hay una app configurada. Si estabas configurando otra, empieza de nuevo.',
  'problem.no_passkey':
    'No se agregó la llave de acceso. Inténtalo de nuevo. Si ya está en tu lista, no necesitas otra.',
  'problem.passkey_gone': 'Esa llave de acceso ya se quitó, así que no se cambió nada.',
  'problem.stale': 'Tus ajustes cambiaron entretanto y no se hizo nada. Revísalos e inténtalo de nuevo.',
}
