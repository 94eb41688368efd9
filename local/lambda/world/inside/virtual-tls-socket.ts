import net from 'node:net';
import type { Destination } from '../../../network/network';
import { type ConnectOptions, type SocketWorld, VirtualSocket } from './virtual-socket';

/** A `tls.TLSSocket` that trusts everybody: nothing is encrypted inside one process. */
export class VirtualTlsSocket extends VirtualSocket {
  override readonly scheme = 'https';
  readonly encrypted = true;
  readonly authorized = true;
  readonly authorizationError = null;
  readonly alpnProtocol = false;
  readonly servername: string;

  constructor(world: SocketWorld, options: ConnectOptions) {
    super(world, options);
    // An address is no name of a server.
    this.servername = options.servername || (net.isIP(this.hostName) ? '' : this.hostName);
  }

  override get destination(): Destination {
    return { ...super.destination, ...(this.servername !== '' && { serverName: this.servername }) };
  }

  getProtocol(): string {
    return 'TLSv1.3';
  }

  getCipher(): object {
    return { name: 'TLS_AES_256_GCM_SHA384', standardName: 'TLS_AES_256_GCM_SHA384', version: 'TLSv1.3' };
  }

  getPeerCertificate(): object {
    return { subject: { CN: this.servername }, subjectaltname: `DNS:${this.servername}` };
  }

  getSession(): undefined {}

  isSessionReused(): boolean {
    return false;
  }

  protected override handshake(): void {
    this.emit('secureConnect');
  }
}
