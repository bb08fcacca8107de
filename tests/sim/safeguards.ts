/** What keeps the promises. Each can be switched off, to see that the simulation would notice. */
export const safeguards = {
  optimisticAppend: 'an append that expects another position is refused',
  durableIntent: 'an append is acknowledged when it is durable, and not before',
  uniqueRequests: 'keys of requests and parents of child runs are unique',
  reconciler: 'orchestrators look for runs that ought to move and do not',
  fence: 'a worker whose heartbeat could not be renewed makes no further call',
  monotonicFence: 'the fence goes by a clock that never jumps',
  lastLook: 'the fence is looked at again when the call is sent, however long it waited',
  confirmation: 'a worker that was silent makes sure of a run by an append before it goes on calling',
  livingOwner: 'a run is not taken from a worker that is alive',
  honestDelivery: 'a call whose answer was lost is not recorded as unsent',
  toldParents: 'a parent that was not told of its child’s end is told again',
  failedReads: 'a read that fails ends no drive',
  unsentCalls: 'a call whose secret cannot be read is not recorded as sent',
  unsavedValues: 'a value that is not durable yet is not asked of the database',
  freeHeartbeat: 'a heartbeat waits for no connection, and nothing that others wait for stops in the middle',
  givenBack: 'a write whose client was not answered is not held for it any longer',
  drivenParents: 'a child begins only while the worker that asks for it drives its parent',
  storedFirst: 'a run that begins where it was accepted makes no call before it is stored',
  forgottenRuns: 'a worker takes a run that is its own and that it does not drive',
  ensured: 'a run ensures what its workflow declares before it says that it succeeded',
  rewound: 'after a restore, a run treats each write that it may have made in the lost time as unknown',
  comparedState: 'a write of state that has to find what the run has read is refused where another run wrote since',
  stateWithEvents: 'state is written where the events that say so are, and nowhere else',
} as const;

export type Safeguard = keyof typeof safeguards;
