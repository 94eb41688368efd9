import { connected } from '../../../account/connection/connection';
import { folded } from '../../fold';
import { paintFor } from '../../paint';
import { warn, writeJson } from '../../print';
import { withProgress } from '../../progress';
import type { DlqContext } from '../command';
import type { ListOptions } from './command';
import { listDocument } from './list-document';
import { listText } from './list-text';
import { readList } from './read-list';

/**
 * `dlo dlq ls`.
 * @throws BadInput where there is no such stack
 */
export async function listQueues(options: ListOptions, { io, nowMs }: DlqContext): Promise<void> {
  await connected(options, async aws => {
    const list = await withProgress(io.stderr, { what: 'resources read' }, nowMs, progress =>
      readList(aws, options.stack, progress, nowMs),
    );
    warn(io, list.unseen);
    if (options.json) writeJson(io, listDocument(list, { options, region: aws.region }));
    else io.stdout.write(folded(listText(list, options.stack, nowMs(), paintFor(io.stdout.isTTY)), io.stdout));
  });
}
