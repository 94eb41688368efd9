import { useFeed } from '../shared/live';
import { Reading } from '../shared/reading';
import { link } from '../shared/router';
import { formatNumber } from '../shared/text';
import { Constructs } from './constructs';
import { QueueRedrive } from './queue-redrive';

/** The redrives of a queue; without one, the queues that hold messages, and the `Redrive` constructs. */
export function Redrives({ of: [queue] }: { readonly of: readonly string[] }) {
  if (queue) return <QueueRedrive key={queue} name={queue} />;
  return (
    <>
      <Queues />
      <Constructs />
    </>
  );
}

function Queues() {
  const state = useFeed('dead-letters');
  const queues = state.document?.queues.flatMap(({ depths, ...it }) => {
    const messages = depths ? depths.visible + depths.inFlight + depths.delayed : undefined;
    return messages === 0 && !it.isMoving ? [] : [{ ...it, messages }];
  });
  return (
    <section class="card">
      <h2>Redrive by hand</h2>
      {!queues && <Reading state={state} what="the dead-letter queues" />}
      {queues?.length === 0 && <p class="empty">No dead-letter queue holds messages: there is nothing to redrive.</p>}
      {queues && queues.length > 0 && (
        <ul class="plain">
          {queues.map(({ arn, name, shortName, messages, isMoving, location }) => (
            <li key={arn}>
              {location === 'here' ? (
                <a href={link('redrive', name)} title={name}>
                  {shortName}
                </a>
              ) : (
                shortName
              )}
              <span class="sub">
                {messages === undefined ? 'an unknown number of messages' : `${formatNumber(messages)} messages`}
                {isMoving && ', a redrive runs'}
                {location !== 'here' && ', not in this Region and account'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
