# Requests and other objects that are used wrongly, twice, or never given back; calls at the wrong time.

class 'invalid request'
program start_twice 2 'A persistent request is started while it is active' <<'C'
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_init(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
+   MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program start_not_persistent 2 'A request that is not persistent is started' <<'C'
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
-   MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
program cancel_null 1 'There is no request to cancel' <<'C'
  MPI_Request request = MPI_REQUEST_NULL;
- MPI_Cancel(&request);
+ MPI_Wait(&request, MPI_STATUS_IGNORE);
C
program start_null 1 'There is no request to start' <<'C'
  MPI_Request request = MPI_REQUEST_NULL;
- MPI_Start(&request);
+ MPI_Wait(&request, MPI_STATUS_IGNORE);
C
program free_collective 2 'The request of a collective operation cannot be freed' <<'C'
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
- MPI_Request_free(&request);
+ MPI_Wait(&request, MPI_STATUS_IGNORE);
C
end_class

class 'missing wait'
for call in Isend Issend; do
  program "${call,,}" 2 'The send is never completed' <<C
  if (rank == 0) {
    MPI_Request request;
    MPI_$call(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
+   MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
done
program irecv 2 'The receive is never completed' <<'C'
  if (rank == 0) {
    MPI_Send(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Irecv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
+   MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
C
program one_of_two 2 'One of two requests is forgotten' <<'C'
  MPI_Request requests[2];
  MPI_Irecv(got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
- MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
+ MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
C
program overwritten 2 'A request is overwritten by the next' <<'C'
  if (rank == 0) {
-   MPI_Request request;
-   for (int i = 0; i < 2; ++i) MPI_Isend(mine, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request);
-   MPI_Wait(&request, MPI_STATUS_IGNORE);
+   MPI_Request requests[2];
+   for (int i = 0; i < 2; ++i) MPI_Isend(mine, 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
+   MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(got, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
C
program send_init 2 'A persistent send is started, but not completed' <<'C'
  if (rank == 0) {
    MPI_Request request;
    MPI_Send_init(mine, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
+   MPI_Wait(&request, MPI_STATUS_IGNORE);
+   MPI_Request_free(&request);
  } else {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
C
for call in ibarrier ibcast iallreduce; do
  case $call in
    ibarrier) start='MPI_Ibarrier(MPI_COMM_WORLD, &request);' ;;
    ibcast) start='MPI_Ibcast(mine, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);' ;;
    iallreduce) start='MPI_Iallreduce(mine, got, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);' ;;
  esac
  program "$call" 2 'The operation is never completed' <<C
  MPI_Request request;
  $start
+ MPI_Wait(&request, MPI_STATUS_IGNORE);
C
done
end_class

# object NAME: how objects of a kind are made and freed.
object() {
  case $1 in
    comm_dup) declared='MPI_Comm object;' made='MPI_Comm_dup(MPI_COMM_WORLD, &object);' freed='MPI_Comm_free' ;;
    comm_split) declared='MPI_Comm object;' made='MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &object);' freed='MPI_Comm_free' ;;
    type) declared='MPI_Datatype object;' made='MPI_Type_contiguous(3, MPI_INT, &object);' freed='MPI_Type_free' ;;
    vector) declared='MPI_Datatype object;' made='MPI_Type_vector(2, 1, 3, MPI_INT, &object); MPI_Type_commit(&object);' freed='MPI_Type_free' ;;
    group) declared='MPI_Group object;' made='MPI_Comm_group(MPI_COMM_WORLD, &object);' freed='MPI_Group_free' ;;
    op) declared='MPI_Op object;' made='MPI_Op_create(add, 1, &object);' freed='MPI_Op_free' ;;
    info) declared='MPI_Info object;' made='MPI_Info_create(&object);' freed='MPI_Info_free' ;;
    window) declared='MPI_Win object;' made='MPI_Win_create(got, sizeof got, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &object);' freed='MPI_Win_free' ;;
    request) declared='MPI_Request object;' made='MPI_Send_init(mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &object);' freed='MPI_Request_free' ;;
    errhandler) declared='MPI_Errhandler object;' made='MPI_Comm_create_errhandler(ignore, &object);' freed='MPI_Errhandler_free' ;;
    keyval) declared='int object;' made='MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &object, NULL);' freed='MPI_Comm_free_keyval' ;;
  esac
}
# What `op` and `errhandler` need.
own_functions() {
  cat >>"$file" <<'C'

static void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) ((int*)inout)[i] += ((int*)in)[i];
}
static void ignore(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }
C
}

class 'leak'
own_functions
for kind in comm_dup comm_split type vector group op info window request errhandler keyval; do
  object $kind
  program "$kind" 2 'It is never freed' <<C
  $declared
  $made
+ $freed(&object);
C
done
end_class

class 'double free'
own_functions
for kind in comm_dup type vector group op info window request errhandler; do
  object $kind
  program "$kind" 2 'It is freed, and then a copy of its handle' <<C
  $declared
  $made
- ${declared/object;/copy = object;}
  $freed(&object);
- $freed(&copy);
C
done
end_class

class 'outside init and finalize'
for call in 'MPI_Comm_rank(MPI_COMM_WORLD, &value);' 'MPI_Barrier(MPI_COMM_WORLD);' \
  'MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);' \
  'MPI_Type_size(MPI_INT, &value);'; do
  name=${call%%(*}
  name=${name#MPI_}
  program "${name,,}_early" 1 'It comes before MPI_Init' bare <<C
  int value = 0;
- $call
  MPI_Init(&argc, &argv);
+ $call
  MPI_Finalize();
C
  program "${name,,}_late" 1 'It comes after MPI_Finalize' bare <<C
  int value = 0;
  MPI_Init(&argc, &argv);
+ $call
  MPI_Finalize();
- $call
C
done
program init_twice 1 'MPI_Init is called twice' bare <<'C'
  MPI_Init(&argc, &argv);
- MPI_Init(&argc, &argv);
  MPI_Finalize();
C
program finalize_twice 1 'MPI_Finalize is called twice' bare <<'C'
  MPI_Init(&argc, &argv);
  MPI_Finalize();
- MPI_Finalize();
C
program no_finalize 2 'A rank ends without MPI_Finalize' bare <<'C'
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
- if (rank == 1) return 0;
  MPI_Finalize();
C
end_class

class 'thread level'
cat >>"$file" <<'C'

static void* send_to_self(void* tag) {
  int value = 0;
  MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, *(int*)tag, 0, *(int*)tag, MPI_COMM_SELF,
                       MPI_STATUS_IGNORE);
  return NULL;
}
static void* finalize(void* nothing) {
  (void)nothing;
  MPI_Finalize();
  return NULL;
}
C
for level in SINGLE FUNNELED; do
  program "${level,,}" 1 'A thread that did not initialise MPI calls it' bare <<C
  int provided, tag = 1;
  pthread_t thread;
- MPI_Init_thread(&argc, &argv, MPI_THREAD_$level, &provided);
+ MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  pthread_create(&thread, NULL, send_to_self, &tag);
  pthread_join(thread, NULL);
  MPI_Finalize();
C
done
program init 1 'MPI_Init is for one thread' bare <<'C'
  int tag = 1;
  pthread_t thread;
- MPI_Init(&argc, &argv);
+ int provided;
+ MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_create(&thread, NULL, send_to_self, &tag);
  pthread_join(thread, NULL);
  MPI_Finalize();
C
program serialized 1 'Two threads call MPI at a time' bare <<'C'
  int provided, tags[2] = {1, 2};
  pthread_t threads[2];
- MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
+ MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, send_to_self, &tags[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
C
program finalize_elsewhere 1 'Another thread than the main one finalizes MPI' bare <<'C'
  int provided;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
- pthread_create(&thread, NULL, finalize, NULL);
- pthread_join(thread, NULL);
+ (void)thread;
+ finalize(NULL);
C
end_class
