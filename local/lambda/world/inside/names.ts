import dns, { type LookupAddress } from 'node:dns';
import dnsPromises from 'node:dns/promises';
import net from 'node:net';
import { promisify } from 'node:util';
import type { WorldOutput } from '../protocol';
import { type Lookup, notFound } from './virtual-socket';

type Done = (error: Error | null, ...answer: unknown[]) => void;

/** The name system: every question goes to the engine. */
export class NameSystem {
  private readonly questions = new Map<number, (addresses: readonly string[]) => void>();
  private count = 0;

  constructor(private readonly emit: (output: WorldOutput) => void) {}

  get waiting(): boolean {
    return this.questions.size > 0;
  }

  /** The engine's answer. */
  settle(query: number, addresses: readonly string[]): void {
    const answer = this.questions.get(query);
    this.questions.delete(query);
    answer?.(addresses);
  }

  addresses(hostName: string): Promise<readonly string[]> {
    if (net.isIP(hostName)) return Promise.resolve([hostName]);
    this.count += 1;
    const query = this.count;
    this.emit({ kind: 'lookup', query, hostName });
    return new Promise(resolve => this.questions.set(query, resolve));
  }

  readonly lookup: Lookup = (hostName, { all, family }, done) => {
    this.addresses(hostName).then(addresses => {
      const found = addresses
        .map((address): LookupAddress => ({ address, family: net.isIP(address) }))
        .filter(entry => !family || entry.family === family);
      const [first] = found;
      // Out of the promise: an error thrown by the caller's own code is an uncaught exception, as in node.
      process.nextTick(() => {
        if (!first) done(notFound(hostName), '');
        else if (all) done(null, found);
        else done(null, first.address, first.family);
      });
    });
  };
}

function resolver(names: NameSystem, family: number) {
  return async (hostName: string): Promise<string[]> => {
    const found = (await names.addresses(hostName)).filter(address => net.isIP(address) === family);
    if (found.length > 0) return found;
    const where = { code: 'ENOTFOUND', syscall: `query${family === 4 ? 'A' : 'Aaaa'}`, hostname: hostName };
    throw Object.assign(new Error(`${where.syscall} ENOTFOUND ${hostName}`), where);
  };
}

const called =
  (ask: (hostName: string) => Promise<unknown>) =>
  (hostName: string, ...rest: unknown[]): void => {
    const done = rest.at(-1) as Done;
    ask(hostName).then(
      answer => process.nextTick(done, null, answer),
      error => process.nextTick(done, error),
    );
  };

type LookupOptions = Parameters<Lookup>[1];

/** Puts the engine's names where code looks for them. */
export function installDns(names: NameSystem): void {
  const lookup = (hostName: string, options: number | LookupOptions | Done, done?: Done): void => {
    const [wanted, answer] = typeof options === 'function' ? [{}, options] : [options, done as Done];
    names.lookup(hostName, typeof wanted === 'number' ? { family: wanted } : (wanted ?? {}), answer);
  };
  const promised = (hostName: string, options: number | LookupOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      lookup(hostName, options, (error, address, family) => {
        if (error) reject(error);
        else resolve(Array.isArray(address) ? address : { address, family });
      });
    });
  const [resolve4, resolve6] = [resolver(names, 4), resolver(names, 6)];
  Object.assign(lookup, { [promisify.custom]: promised });
  Object.assign(dns, { lookup, resolve: called(resolve4), resolve4: called(resolve4), resolve6: called(resolve6) });
  Object.assign(dnsPromises, { lookup: promised, resolve: resolve4, resolve4, resolve6 });
}
