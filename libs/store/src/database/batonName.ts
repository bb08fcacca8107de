/** Name of the connections of orchestrators and workers, as Postgres shows them. */
export const batonName = 'baton';
