/**
 * Names that mean the machine itself, which no server on the internet has; those of `/etc/hosts` too.
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 */
const LOCAL_NAMES = /^(?:(?:[^.]+\.)*localhost|(?:[^.]+\.)*localdomain|ip6-localhost|ip6-loopback)$/i;

/** Whether a host name means the machine itself, with or without dots at its end. */
export function isLocalName(hostName: string): boolean {
  return LOCAL_NAMES.test(hostName.replace(/\.+$/, ''));
}
