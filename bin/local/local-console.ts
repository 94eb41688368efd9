import type { IncomingMessage, ServerResponse } from 'node:http';
import { ownManifest } from '../../account/documents/own-package';
import type { StoryDocument } from '../../console/api/simulation';
import { type Console, newConsole } from '../../console/server/console';
import { simulationSource } from '../../console/server/source';
import { nowMs } from '../../mover/aws/clock';
import { PAGE_FOLDER } from '../console/page-folder';

/** The path of the console at the port of `dlo local`. */
export const CONSOLE_PATH = '/_dlo/console/';

/** Whether a browser opens the port, rather than a client of AWS. */
function isBrowser({ method, url, headers }: IncomingMessage): boolean {
  return method === 'GET' && url === '/' && (headers.accept ?? '').includes('text/html') && !headers.authorization;
}

/**
 * The console of a `dlo local`. Whoever reaches the port may already do everything with the simulation, so that no token is needed.
 */
export class LocalConsole {
  private console: Console | undefined;

  /** @param allowHosts host names under which it answers, in addition to addresses and `localhost` */
  constructor(private readonly allowHosts: readonly string[] = []) {}

  readonly pages = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!this.console) return false;
    if (!isBrowser(request)) return this.console.http.handle(request, response);
    response.writeHead(302, { location: CONSOLE_PATH }).end();
    return true;
  };

  /**
   * @param region the default Region of the simulation
   * @param story that it plays
   */
  open(port: number, region: string, story?: StoryDocument): void {
    this.console = newConsole({
      source: simulationSource(`http://127.0.0.1:${port}`, region, nowMs),
      mayChange: true,
      assets: PAGE_FOLDER,
      version: ownManifest().version,
      base: CONSOLE_PATH,
      isOpen: true,
      allowHosts: this.allowHosts,
      ...(story && { story }),
      nowMs,
    });
  }

  async close(): Promise<void> {
    await this.console?.close();
  }
}
