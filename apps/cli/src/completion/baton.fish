# Asks `baton __complete -- WORD…` with the words so far, the last one unfinished; gets a candidate per line.
complete -c baton -a '(baton __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
