import { useFeed } from '../shared/live';
import { Reading } from '../shared/reading';
import { DeadLetterList } from './dead-letter-list';
import { MessageMap } from './map';

/** The first page: what is in trouble, and where it is. */
export function Overview() {
  const map = useFeed('map');
  const levels = useFeed('levels');
  const list = useFeed('dead-letters');
  const { otherAlarms = [] } = levels.document ?? {};
  return (
    <>
      {list.document ? <DeadLetterList list={list.document} /> : <Reading state={list} what="the dead-letter queues" />}
      {otherAlarms.length > 0 && <p class="other-alarms">Also in ALARM: {otherAlarms.join(', ')}</p>}
      <section class="card">
        <h2>What messages pass through</h2>
        {map.document ? (
          <MessageMap map={map.document} levels={levels.document} />
        ) : (
          <Reading state={map} what="topics, queues and functions" />
        )}
      </section>
    </>
  );
}
