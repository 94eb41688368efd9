import { connected } from '../../../account/connection/connection';
import { explain } from '../../../diagnosis/causes/explain';
import { folded, proseWidth } from '../../fold';
import { warn, writeJson } from '../../print';
import type { DlqContext } from '../command';
import { checkReceives } from '../letters/receive-guard';
import { queueNamed } from '../the-queue';
import type { WhyOptions } from './command';
import { gather } from './gather';
import { whyDocument } from './why-document';
import { whyText } from './why-text';

/**
 * `dlo dlq why`.
 * @throws BadInput when there is no such queue, or a look at it costs its letters much
 */
export async function why(name: string, options: WhyOptions, world: DlqContext): Promise<void> {
  const { io } = world;
  await connected(options, async aws => {
    const queue = await queueNamed(aws, name);
    warn(io, checkReceives(queue, options.force));
    const gathered = await gather(aws, queue, options, world);
    warn(io, gathered.gaps);
    const explanation = explain(gathered.evidence);
    const site = { options, region: aws.region };
    if (options.json) writeJson(io, whyDocument(gathered, explanation, site));
    else {
      const page = { site, width: proseWidth(io.stdout) };
      io.stdout.write(folded(whyText(gathered, explanation, page), io.stdout));
    }
  });
}
