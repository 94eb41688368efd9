import { administrator, type Caller, roleCaller } from '../kernel/caller';
import type { Credentials, SessionCredentials } from '../kernel/credentials';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';

const KEY_ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const SECRET_BYTES = 30;
const TOKEN_BYTES = 96;

/**
 * Issues temporary credentials for roles and knows whose they are. They never expire: a session here lasts as long as
 * the world.
 */
export class SessionCredentialStore implements Credentials {
  private readonly roleOf = new Map<string, string>();

  constructor(
    private readonly place: Place,
    private readonly random: Random,
  ) {}

  issue(roleArn: string): SessionCredentials {
    const accessKeyId = `ASIA${this.characters(16)}`;
    this.roleOf.set(accessKeyId, roleArn);
    return { accessKeyId, secretAccessKey: this.base64(SECRET_BYTES), sessionToken: this.base64(TOKEN_BYTES) };
  }

  caller(accessKeyId: string | undefined): Caller {
    const roleArn = accessKeyId === undefined ? undefined : this.roleOf.get(accessKeyId);
    return roleArn === undefined ? administrator(this.place.account) : roleCaller(roleArn);
  }

  private characters(length: number): string {
    let text = '';
    for (let i = 0; i < length; i += 1) text += KEY_ID_CHARACTERS[this.random.integer(0, KEY_ID_CHARACTERS.length - 1)];
    return text;
  }

  private base64(bytes: number): string {
    return Buffer.from(this.random.hex(bytes * 2), 'hex').toString('base64');
  }
}
