# A server that says hello, as small as one can be: it starts in a millisecond.   sh hello.sh
while read -r line; do
  id=${line##*'"id":'}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hello","version":"1"}}' ;;
    *'"method":"notifications/'*) continue ;;
    *) result='{"content":[{"type":"text","text":"hello"}]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
